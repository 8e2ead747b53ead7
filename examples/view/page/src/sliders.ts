// Sliders for the indices on the axes that are not shown.

import type { Info } from "./api";
import { axisName } from "./axes";
import { h, icon, icons } from "./dom";
import type { App } from "./main";
import { clamp, group } from "./num";
import { Play } from "./play";

export class Sliders {
  axis = -1; // the axis whose slider the keys move
  readonly play: Play;
  private list = h("div", { class: "sliders" });
  readonly el: HTMLElement;

  constructor(private app: App) {
    this.play = new Play(app);
    this.el = h("div", { class: "stack" }, this.list, this.play.el);
  }

  /** show shows a slider for each axis in free. */
  show(a: Info, free: number[]) {
    const v = this.app.view, key = free.map((k) => `${k}:${a.shape[k]}:${axisName(a, k)}`).join();
    if (this.list.dataset.key !== key) {
      this.list.dataset.key = key;
      this.list.replaceChildren(...free.map((k) => {
        const range = h("input", { type: "range", min: 0, max: a.shape[k] - 1, step: 1, "aria-label": `index on axis ${k}`, oninput: () => this.setIndex(k, Number(range.value)) });
        const exact = h("input", {
          type: "text", inputmode: "numeric", "aria-label": `index on axis ${k}, as a number`, class: "exact",
          onchange: () => {
            const x = Math.trunc(Number(exact.value));
            if (Number.isFinite(x)) this.setIndex(k, x < 0 ? x + a.shape[k] : x);
          },
        });
        const play = h("button", { type: "button", class: "tool", "aria-label": `play axis ${k}`, title: "play (space)", onclick: () => { this.axis = k; this.play.toggle(); } }, icon(icons.play));
        const row = h("div", { class: "slider", "data-axis": k, onpointerdown: () => (this.axis = k) },
          h("span", { class: "label" }, axisName(a, k) || `axis ${k}`), exact, h("span", { class: "dim of" }, `of ${group(a.shape[k])}`), play, range);
        return row;
      }));
    }
    for (const row of this.list.querySelectorAll<HTMLElement>(".slider")) {
      const k = Number(row.dataset.axis);
      row.classList.toggle("active", k === this.axis && free.length > 1);
      row.querySelector<HTMLInputElement>("input[type=range]")!.value = String(v.at[k]);
      row.querySelector<HTMLInputElement>(".exact")!.value = String(v.at[k]);
      const value = this.app.texts.text(a, k, v.at[k]);
      row.querySelector(".of")!.textContent = `of ${group(a.shape[k])}${value === null ? "" : ` · ${value}`}`;
      this.play.mark(row.querySelector("button")!, k === this.play.axis);
    }
    this.play.show();
  }

  /** setIndex sets the index on an axis. */
  setIndex(k: number, i: number) {
    const { info: a, view: v } = this.app;
    if (!a || k < 0) return;
    this.axis = k;
    const at = [...v.at];
    at[k] = clamp(i, 0, Math.max(0, a.shape[k] - 1));
    this.app.change({ at });
  }

  /** move changes the index on the selected axis. */
  move(by: number) {
    this.setIndex(this.axis, (this.app.view.at[this.axis] ?? 0) + by);
  }

  /** next selects another axis for the keys. */
  next(by: number) {
    const free = [...this.list.querySelectorAll<HTMLElement>(".slider")].map((r) => Number(r.dataset.axis));
    if (!free.length) return;
    this.axis = free[(free.indexOf(this.axis) + by + free.length) % free.length];
    this.app.refresh();
  }
}
