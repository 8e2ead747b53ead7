// Sliders for the indices on the axes that are not shown, and the projections along these axes.

import type { Info } from "./api";
import { axisName } from "./axes";
import { choose, h, icon, icons } from "./dom";
import type { App } from "./main";
import { clamp, group } from "./num";
import { Play } from "./play";
import { ops, range, replaced, words, type Projection } from "./projections";
import { fill, number, select } from "./widgets";

export class Sliders {
  axis = -1; // the axis whose slider the keys move
  readonly play: Play;
  private list = h("div", { class: "sliders" });
  private bar = h("progress", { max: 1, value: 0, "aria-label": "progress of the projection" });
  private said = h("p", { class: "dim small", role: "status" });
  private computing = h("div", { class: "row" }, this.bar, h("button", { type: "button", onclick: () => this.app.stop() }, "Stop"));
  private note = h("p", { class: "dim small" });
  private last = new Map<number, number>(); // the index shown last on each axis
  private chosen = -1; // the axis whose projection was chosen last
  readonly el: HTMLElement;

  constructor(private app: App) {
    this.play = new Play(app);
    this.el = h("div", { class: "stack" }, this.list, this.computing, this.said, this.note, this.play.el);
  }

  /** empty reports whether no axis has a slider or a projection. */
  get empty(): boolean {
    return this.list.childElementCount === 0;
  }

  /** show shows a slider or a projection for each of the axes of a. */
  show(a: Info, axes: number[]) {
    const v = this.app.view, key = a.id + axes.map((k) => `${k}:${a.shape[k]}:${axisName(a, k)}`).join();
    const project = this.app.wanted ?? v.project;
    if (this.list.dataset.key !== key) {
      if (!this.list.dataset.key?.startsWith(a.id)) this.last.clear();
      this.list.dataset.key = key;
      this.list.replaceChildren(...axes.map((k) => this.row(a, k)));
    }
    for (const row of this.list.querySelectorAll<HTMLElement>(".slider")) {
      const k = Number(row.dataset.axis), p = project.find((q) => q.axis === k), combined = v.project.some((q) => q.axis === k);
      if (!combined) this.last.set(k, v.at[k]);
      row.classList.toggle("active", k === this.axis && axes.length > 1);
      row.toggleAttribute("data-combined", combined || p !== undefined);
      row.querySelector<HTMLInputElement>("input[type=range]")!.value = String(v.at[k]);
      row.querySelector<HTMLInputElement>(".exact")!.value = String(v.at[k]);
      const value = combined ? null : this.app.texts.text(a, k, v.at[k]);
      row.querySelector(".of")!.textContent = `of ${group(a.shape[k])}${value === null ? "" : ` · ${value}`}`;
      this.play.mark(row.querySelector("button")!, k === this.play.axis);
      this.showProjection(row, a, k, p);
    }
    const computing = this.app.wanted !== null;
    if (computing && this.computing.hidden) this.bar.value = 0;
    const left = !computing && this.computing.contains(document.activeElement); // the focus must not be lost with "Stop"
    this.computing.hidden = !computing;
    if (left) this.list.querySelector<HTMLElement>(`[data-axis="${this.chosen}"] .projection select`)?.focus();
    const said = computing ? `computing the ${words(this.app.wanted!)}` : "";
    if (this.said.textContent !== said) this.said.textContent = said; // screen readers read it again when it is set
    this.note.textContent = this.about(a, project);
    this.note.hidden = this.note.textContent === "";
    this.play.show();
  }

  // row creates the controls of axis k.
  private row(a: Info, k: number): HTMLElement {
    const slider = h("input", { type: "range", min: 0, max: a.shape[k] - 1, step: 1, "aria-label": `index on axis ${k}`, oninput: () => this.setIndex(k, Number(slider.value)) });
    const exact = h("input", {
      type: "text", inputmode: "numeric", "aria-label": `index on axis ${k}, as a number`, class: "exact",
      onchange: () => {
        const x = Math.trunc(Number(exact.value));
        if (Number.isFinite(x)) this.setIndex(k, x < 0 ? x + a.shape[k] : x);
      },
    });
    const play = h("button", { type: "button", class: "tool", "aria-label": `play axis ${k}`, title: "play (space)", onclick: () => { this.axis = k; this.play.toggle(); } }, icon(icons.play));
    const op = select(`show axis ${k} as`, (name) => this.project(k, name, 0, 0));
    const first = number(`first index of the projection along axis ${k}`, (x) => this.setRange(k, x, null));
    const last = number(`last index of the projection along axis ${k}`, (x) => this.setRange(k, null, x));
    const all = h("button", { type: "button", class: "plain", "aria-label": `all indices of axis ${k}`, onclick: () => { op.focus(); this.project(k, op.value, 0, 0); } }, "All");
    choose(op, [["", "index"], ...ops.map((s): [string, string] => [s, s])], "");
    return h("div", { class: "slider", "data-axis": k, onpointerdown: () => { if (!this.combined(k)) this.axis = k; } },
      h("span", { class: "label" }, axisName(a, k) || `axis ${k}`), exact, h("span", { class: "dim of" }, `of ${group(a.shape[k])}`), play, slider,
      h("div", { class: "pair projection" }, op, first, h("span", { class: "to" }, "to"), last, all));
  }

  // showProjection shows the projection p along axis k. p is undefined if an index is shown.
  private showProjection(row: HTMLElement, a: Info, k: number, p: Projection | undefined) {
    const [op, first, to, last, all] = row.querySelector(".projection")!.children as unknown as [HTMLSelectElement, HTMLInputElement, HTMLElement, HTMLInputElement, HTMLElement];
    op.parentElement!.hidden = !a.projectable;
    op.value = p?.op ?? "";
    first.hidden = to.hidden = last.hidden = p === undefined;
    all.hidden = p === undefined || (p.from === 0 && p.to === 0);
    if (!p) return;
    const [from, end] = range(p, a.shape[k]), still = !this.app.busy;
    fill(first, from, still);
    fill(last, end, still);
  }

  // about returns a note about projections of a.
  private about(a: Info, project: Projection[]): string {
    if (a.kind === "struct") return "Choose a field to combine its elements along an axis.";
    if (!a.projectable) return "Only booleans, integers, floats and complex numbers can be combined along an axis; long doubles, text and times cannot.";
    if (a.kind === "complex" && project.some((p) => p.op === "min" || p.op === "max")) return "Complex numbers are ordered as in NumPy: by their real part, then by their imaginary part.";
    return project.length > 0 && a.kind === "float" ? "NaN is ignored." : "";
  }

  private combined(k: number): boolean {
    return this.app.view.project.some((p) => p.axis === k);
  }

  // project shows a projection along axis k, or an index if op is "".
  private project(k: number, op: string, from: number, to: number) {
    this.chosen = k;
    this.app.combine(replaced(this.app.wanted ?? this.app.view.project, k, op ? { axis: k, op, from, to } : null));
  }

  // setRange sets the first or the last index of the projection along axis k. Invalid and missing ones stay.
  private setRange(k: number, first: number | null, last: number | null) {
    const p = (this.app.wanted ?? this.app.view.project).find((q) => q.axis === k), n = this.app.origin!.shape[k];
    if (!p) return;
    const index = (x: number) => clamp(Math.trunc(x < 0 ? x + n : x), 0, n - 1);
    let [from, end] = range(p, n);
    if (first !== null) end = Math.max(end, (from = index(first)));
    if (last !== null) from = Math.min(from, (end = index(last)));
    if (first === null && last === null) this.app.refresh();
    else this.project(k, p.op, from, end === n - 1 ? 0 : end + 1);
  }

  /** progress shows the share of a projection that has been computed. */
  progress(x: number) {
    this.bar.value = x;
  }

  /** indices returns the indices of the view. On axes with projections, they are the indices shown before. */
  indices(): number[] {
    const v = this.app.view;
    return v.at.map((i, k) => (this.combined(k) ? (this.last.get(k) ?? this.app.origin!.shape[k] >> 1) : i));
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
    const free = [...this.list.querySelectorAll<HTMLElement>(".slider")].map((r) => Number(r.dataset.axis)).filter((k) => !this.combined(k));
    if (!free.length) return;
    this.axis = free[(free.indexOf(this.axis) + by + free.length) % free.length];
    this.app.refresh();
  }
}
