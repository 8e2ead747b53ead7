// The indices along the axes that are not shown: a slider for each, and playing one of them.

import type { Info } from "./api";
import { h, icon, icons } from "./dom";
import type { App } from "./main";
import { clamp, group } from "./num";

export class Sliders {
  axis = -1; // whose slider the keys move
  private playing = false;
  readonly el = h("div", { class: "sliders" });

  constructor(private app: App) {}

  /** stop ends playing. */
  stop() {
    this.playing = false;
  }

  /** show shows a slider for each of the axes that are free. */
  show(a: Info, free: number[]) {
    const v = this.app.view, key = free.map((k) => `${k}:${a.shape[k]}`).join();
    if (this.el.dataset.key !== key) {
      this.el.dataset.key = key;
      this.el.replaceChildren(...free.map((k) => {
        const range = h("input", { type: "range", min: 0, max: a.shape[k] - 1, step: 1, "aria-label": `index on axis ${k}`, oninput: () => this.setIndex(k, Number(range.value)) });
        const exact = h("input", {
          type: "text", inputmode: "numeric", "aria-label": `index on axis ${k}, as a number`, class: "exact",
          onchange: () => {
            const x = Math.trunc(Number(exact.value));
            if (Number.isFinite(x)) this.setIndex(k, x < 0 ? x + a.shape[k] : x);
          },
        });
        const play = h("button", { type: "button", class: "tool", "aria-label": `play axis ${k}`, title: "play (space)", onclick: () => { this.axis = k; this.play(); } }, icon(icons.play));
        const row = h("div", { class: "slider", "data-axis": k, onpointerdown: () => (this.axis = k) },
          h("span", { class: "label" }, `axis ${k}`), exact, h("span", { class: "dim of" }, `of ${group(a.shape[k])}`), play, range);
        return row;
      }));
    }
    for (const row of this.el.querySelectorAll<HTMLElement>(".slider")) {
      const k = Number(row.dataset.axis);
      row.classList.toggle("active", k === this.axis && free.length > 1);
      row.querySelector<HTMLInputElement>("input[type=range]")!.value = String(v.at[k]);
      row.querySelector<HTMLInputElement>(".exact")!.value = String(v.at[k]);
      const play = row.querySelector("button")!, on = this.playing && k === this.axis;
      if (play.getAttribute("aria-pressed") !== String(on)) {
        play.setAttribute("aria-pressed", String(on));
        play.replaceChildren(icon(on ? icons.pause : icons.play));
      }
    }
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

  /** move goes on by some indices on the axis of the keys. */
  move(by: number) {
    this.setIndex(this.axis, (this.app.view.at[this.axis] ?? 0) + by);
  }

  /** play begins or ends going through the indices of the axis. */
  async play() {
    this.playing = !this.playing;
    if (!this.playing) {
      this.app.refresh();
      return;
    }
    const id = this.app.info?.id;
    while (this.playing && this.app.info && this.app.info.id === id && this.axis >= 0) {
      const n = this.app.info.shape[this.axis];
      this.setIndex(this.axis, (this.app.view.at[this.axis] + 1) % n);
      const start = performance.now();
      do await new Promise((done) => setTimeout(done, 60));
      while (this.app.busy && performance.now() - start < 1500);
    }
    this.playing = false;
    this.app.refresh();
  }

  /** next makes another axis that of the keys. */
  next(by: number) {
    const free = [...this.el.querySelectorAll<HTMLElement>(".slider")].map((r) => Number(r.dataset.axis));
    if (!free.length) return;
    this.axis = free[(free.indexOf(this.axis) + by + free.length) % free.length];
    this.app.refresh();
  }
}
