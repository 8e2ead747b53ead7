// Lines: the elements along one axis, as points, or as the envelope of the elements that a pixel covers.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { aborted, arrayPath, getLine, POINTS, query, SAMPLED, type Line } from "./api";
import { axisName } from "./axes";
import { lines as colours } from "./colors";
import { css, h } from "./dom";
import { clamp, group, percent, type Tick } from "./num";
import type { Host, Pane } from "./pane";
import { drawLines, drawPlot, printPlot } from "./plot";
import { refine } from "./refine";
import { norm, placer, ticksOf } from "./scales";
import { isWhole, sel } from "./state";
import { askX, placeX, type X } from "./xaxis";

const margin = 0.04; // below the minimum and above the maximum, as a fraction of the range

const axisWidth = 66, gapRight = 24; // space next to the plot, in CSS pixels

export class LinesPane implements Pane {
  readonly el: HTMLElement;
  private box = h("div", { class: "plot", tabindex: 0, role: "application", "aria-label": "lines; arrow keys left and right pan, plus and minus zoom, shift and arrow keys move the cursor" });
  private legend = h("ul", { class: "legend", "aria-label": "lines shown" });
  private empty = h("p", { class: "empty", hidden: true });
  private plot: uPlot | null = null;
  private plotKey = "";
  private ctl: AbortController | null = null;
  private asked = "";
  private shown = false;
  private got: Line[] = [];
  private drag: { x: number; from: number; to: number } | null = null;
  private pinch = new Map<number, number>();
  private at = -1;
  private waiting = false;
  private ticks: Tick[] = [];
  private offset = h("span", { class: "offset" });
  private x: X | null = null; // the values along x, or null if x is the index
  private below = h("span", { class: "below" }); // name and unit of the values along x

  constructor(private host: Host) {
    this.el = h("div", { class: "lines" }, this.offset, this.box, this.below, this.empty, this.legend);
    new ResizeObserver(() => {
      if (!this.shown || !this.plot) return;
      this.plot.setSize(this.size());
      this.show();
    }).observe(this.box);
    const b = this.box;
    b.addEventListener("wheel", (e) => {
      e.preventDefault();
      const d = e.deltaY * (e.deltaMode === 1 ? 16 : 1);
      if (e.shiftKey) this.pan((d + e.deltaX) / this.width());
      else this.zoom(Math.exp(clamp(d, -400, 400) * 0.002), this.fraction(e.clientX));
    }, { passive: false });
    b.addEventListener("pointerdown", (e) => {
      if (e.button !== 0) return;
      b.setPointerCapture(e.pointerId);
      this.pinch.set(e.pointerId, e.clientX);
      this.drag = { x: e.clientX, ...this.span() };
      if (e.pointerType !== "mouse") this.hover(e.clientX);
    });
    b.addEventListener("pointermove", (e) => {
      if (!this.pinch.has(e.pointerId)) {
        this.hover(e.clientX);
        return;
      }
      if (this.pinch.size === 2) {
        const other = [...this.pinch].find(([id]) => id !== e.pointerId)![1], old = this.pinch.get(e.pointerId)!;
        this.zoom(Math.max(1, Math.abs(old - other)) / Math.max(1, Math.abs(e.clientX - other)), this.fraction((e.clientX + other) / 2));
        this.pinch.set(e.pointerId, e.clientX);
        this.drag = null;
      } else if (this.drag) {
        const by = ((this.drag.x - e.clientX) / this.width()) * (this.drag.to - this.drag.from);
        this.place(this.drag.from + by, this.drag.to + by);
      }
    });
    for (const end of ["pointerup", "pointercancel"] as const) {
      b.addEventListener(end, (e) => {
        this.pinch.delete(e.pointerId);
        this.drag = null;
      });
    }
    b.addEventListener("pointerleave", (e) => {
      if (e.pointerType === "mouse") this.host.point(null); // a finger also leaves when it is lifted
    });
    b.addEventListener("dblclick", () => this.fit());
  }

  private length(): number {
    const { view: v, info: a } = this.host;
    return a && v.lx >= 0 && !a.shape.includes(0) ? a.shape[v.lx] : 0;
  }

  private span(): { from: number; to: number } {
    const { view: v } = this.host, n = this.length();
    const to = v.to > 0 ? Math.min(v.to, n) : n;
    return { from: clamp(v.from, 0, Math.max(0, to - 1)), to };
  }

  private size() {
    return { width: Math.max(50, this.box.clientWidth), height: Math.max(50, this.box.clientHeight) };
  }

  private width(): number {
    return Math.max(1, this.plot?.over.clientWidth ?? this.box.clientWidth - axisWidth - gapRight);
  }

  private fraction(clientX: number): number {
    const r = (this.plot?.over ?? this.box).getBoundingClientRect();
    const f = clamp((clientX - r.left) / Math.max(1, r.width), 0, 1);
    if (!this.x?.places) return f;
    // Find the two entries around this position, and from them the position along the axis of the array.
    const { places: at, backwards } = this.x, x = this.plot!.posToVal(f * r.width, "x");
    let lo = 0, hi = at.length - 1;
    while (hi - lo > 1) {
      const mid = (lo + hi) >> 1;
      if (at[mid] <= x) lo = mid;
      else hi = mid;
    }
    const k = at[hi] > at[lo] ? lo + clamp((x - at[lo]) / (at[hi] - at[lo]), 0, 1) : lo, share = (k + 0.5) / at.length;
    return backwards ? 1 - share : share;
  }

  visible() {
    const { from, to } = this.span();
    return to > from ? { y: -1, x: this.host.view.lx, region: { y0: 0, y1: 1, x0: Math.floor(from), x1: Math.ceil(to) } } : null;
  }

  hide() {
    this.shown = false;
    this.ctl?.abort();
    this.asked = "";
    this.waiting = false;
    this.plot?.destroy();
    this.plot = null;
    this.plotKey = "";
  }

  again() {
    this.asked = "";
  }

  show() {
    this.shown = true;
    const { view: v, info: a } = this.host;
    if (!a) return;
    const n = this.length();
    this.empty.hidden = n > 0;
    this.empty.textContent = `no elements: shape (${a.shape.join(", ")}${a.shape.length === 1 ? "," : ""})`;
    const all = this.all();
    this.showLegend(all);
    if (n === 0) {
      this.host.working(false);
      return;
    }
    const { from, to } = this.span();
    const pixels = Math.max(64, Math.min(2048, this.width()));
    const key = JSON.stringify([a.id, a.version, { ...sel(v), at: 0 }, v.lx, all, from, to, pixels, this.host.along()?.key]);
    if (key !== this.asked) {
      this.asked = key;
      this.ask(all, Math.floor(from), Math.ceil(to), pixels);
    } else if (!this.waiting) {
      this.render();
      this.host.working(false);
    }
  }

  // all returns the indices of all lines: the kept lines and the current line.
  private all(): number[][] {
    const { view: v } = this.host;
    if (v.over >= 0) return Array.from({ length: this.host.info!.shape[v.over] }, (_, i) => v.at.map((x, k) => (k === v.over ? i : x)));
    const same = (p: number[]) => p.every((i, k) => k === v.lx || i === v.at[k]);
    return [...v.pins.filter((p) => !same(p)), v.at].slice(-colours.length);
  }

  private async ask(all: number[][], from: number, to: number, n: number) {
    this.ctl?.abort();
    const ctl = (this.ctl = new AbortController());
    const { view: v, info } = this.host;
    this.host.working((this.waiting = true));
    const get = (at: number[], params: object) => getLine(arrayPath(info!.id, "line") + query({ ...sel(v), at }, { x: v.lx, ...params }), ctl.signal);
    try {
      const along = this.host.along();
      const [x, ...got] = await Promise.all([along && askX(along, from, to, n, ctl.signal), ...all.map((at) => get(at, { from, to, n }))]);
      if (ctl.signal.aborted) return;
      this.got = got;
      this.x = x;
      this.render();
      this.describe(1);
      const lines = [...got.map((line, i) => ({ line, get: (params: object) => get(all[i], params) })), ...(x ? [x] : [])];
      await refine(lines, to, ctl.signal, (done, left) => {
        this.render();
        this.describe(done, left);
      });
      this.host.working((this.waiting = false));
    } catch (err) {
      if (aborted(err) || ctl.signal.aborted) return;
      this.host.working((this.waiting = false));
      this.host.fail(err);
    }
  }

  // describe shows a note about the lines. done is the fraction of the entries that are exact.
  private describe(done: number, left = false) {
    const flags = [...this.got, ...(this.x ? [this.x.line] : [])].reduce((f, l) => f | l.flags, 0), step = this.got[0].step;
    const infinite = this.got.some((l) => l.lo.some((x) => Math.abs(x) === Infinity) || l.hi.some((x) => Math.abs(x) === Infinity)) ? " · some elements are infinite" : "";
    const none = this.got.every((l) => l.lo.every((x) => x !== x)) ? " · all elements are NaN" : "";
    const how = !(flags & SAMPLED) ? "exact" : done < 1 ? `sampled, ${percent(done, 1)} exact` : left || flags & SAMPLED ? "sampled" : "exact";
    const text = step === 1 && flags & POINTS ? "every element" : `${how === "exact" ? "" : "≈ "}minimum and maximum of ${group(step)} elements per pixel · ${how}`;
    const x = this.x && !this.x.places ? ` · ${this.x.of.name} is not monotonic, so x is the index` : "";
    this.host.note(text + infinite + none + x);
  }

  private showLegend(all: number[][]) {
    const { view: v } = this.host, key = JSON.stringify([all, v.lx, v.over]);
    if (this.legend.dataset.key === key) return;
    this.legend.dataset.key = key;
    const items = all.map((at, i) => {
      const swatch = h("span", { class: "swatch", "aria-hidden": "true" });
      swatch.style.background = colours[i];
      const text = `[${at.map((x, k) => (k === v.lx ? ":" : x)).join(", ")}]`;
      const last = i === all.length - 1;
      if (v.over >= 0) return h("li", {}, swatch, h("code", {}, text));
      return h("li", {}, swatch, h("code", {}, text), last ? h("span", { class: "dim" }, all.length > 1 ? "current" : "") : h("button", {
        type: "button", class: "plain", "aria-label": `remove line ${text}`, title: "remove this line",
        onclick: () => {
          this.host.change({ pins: this.host.view.pins.filter((p) => p.join() !== at.join()) });
          this.focus();
        },
      }, "×"));
    });
    this.legend.replaceChildren(...items);
    this.legend.hidden = all.length === 1 && all[0].length <= 1;
  }

  /** retheme redraws with the colours of the theme. */
  retheme() {
    this.plotKey = "";
    if (this.shown && this.got.length) this.render();
  }

  private render() {
    const points = this.got.every((l) => l.flags & POINTS), base = this.host.view.base;
    const first = this.got[0];
    const ends = this.x && placeX(this.x, Math.max(2, (this.size().width - axisWidth - gapRight) / 110));
    if (ends) Object.assign(this.box.dataset, { xfrom: ends[0], xto: ends[1], xbase: this.x!.base });
    const along = this.x?.places ? this.x : null;
    const xs = along?.places ?? Float64Array.from(first.lo, (_, k) => first.from + (points ? k : k + 0.5) * first.step - (points ? 0 : 0.5));
    // The plot has numbers from 0 to 1, because elements may be too large for it, or closer than its ticks can be.
    let lo = Infinity, hi = -Infinity, above0 = Infinity;
    for (const l of this.got) {
      for (const d of [l.lo, l.hi]) {
        for (const x of d) {
          if (x - x !== 0) continue;
          if (x < lo) lo = x;
          if (x > hi) hi = x;
          if (x > 0 && x < above0) above0 = x;
        }
      }
    }
    if (lo > hi) [lo, hi] = [0, 1];
    const beyond = 10; // position of infinite elements, and limit for finite ones; outside the plot
    const n = norm(lo, hi, this.host.view.scaleY, this.host.view.gamma, above0 < Infinity ? above0 : null, base), at = placer(n);
    const place = (x: number) => (x !== x ? null : hi > lo ? clamp(at(x), -beyond, beyond) : x === Infinity ? beyond : x === -Infinity ? -beyond : 0.5);
    const places = (d: Float64Array) => Array.from(d, place);
    const lines = this.got.flatMap((l) => (points ? [places(l.lo)] : [places(l.hi), places(l.lo)]));
    if (along?.backwards) for (const l of lines) l.reverse();
    const data: uPlot.AlignedData = [xs, ...lines] as uPlot.AlignedData;
    const key = `${points} ${along !== null} ${this.got.length} ${document.documentElement.dataset.theme}`;
    const { from, to } = this.span();
    const x = along ? { min: -margin / 4, max: 1 + margin / 4 } : { min: from - (points ? 0.5 : 0), max: to - 0.5 };
    this.below.textContent = along ? [along.of.name, along.ticks.offset && `${along.ticks.offset}${/[a-z]/.test(along.ticks.offset) ? "" : " +"}`].filter(Boolean).join(" · ") : axisName(this.host.info!, this.host.view.lx);
    const s = ticksOf(n, Math.max(2, this.size().height / 70), base, isWhole(this.host.info!));
    this.ticks = s.ticks;
    this.offset.textContent = s.offset && `${s.offset} +`;
    if (key !== this.plotKey) {
      this.plot?.destroy();
      this.plotKey = key;
      this.plot = new uPlot(this.options(points), data, this.box);
    } else this.plot!.setData(data, false);
    this.plot!.batch(() => {
      this.plot!.setScale("x", x);
    });
    this.plot!.redraw(false, true); // the scale of y is unchanged, but the texts of its ticks may differ
    const span = hi / 2 - lo / 2; // for tests
    Object.assign(this.box.dataset, { scale: n.scale, least: n.lo, most: n.hi });
    Object.assign(this.box.dataset, {
      points: xs.length, kind: points ? "points" : "envelope", from: x.min, to: x.max, base, along: along?.of.name ?? "",
      lo: hi > lo ? lo - 2 * span * margin : lo - 1, hi: hi > lo ? hi + 2 * span * margin : hi + 1,
    });
  }

  // label returns the texts of the drawn ticks.
  private label(at: number[]): string[] {
    const texts = at.map((x) => this.ticks.find((t) => t.at === x)?.text ?? "");
    Object.assign(this.box.dataset, { ticks: texts.join(" "), places: at.join(" "), offset: this.offset.textContent!.replace(" +", "") });
    return texts;
  }

  /** print draws the plot with its axes at a higher resolution, or returns null if there is no plot. */
  print(finer: number): HTMLCanvasElement | null {
    return this.plot && printPlot(this.plot, this.got.length, this.box.dataset.kind === "points", finer);
  }

  /** extent returns the size of the plot with its axes in CSS pixels, or null if there is no plot. */
  extent(): { width: number; height: number } | null {
    return this.plot && this.size();
  }

  /** drawOn draws the plot with its axes on g, in CSS pixels. */
  drawOn(g: CanvasRenderingContext2D) {
    if (this.plot) drawPlot(g, this.plot, this.got.length, this.box.dataset.kind === "points", 1 / devicePixelRatio);
  }

  /** keys returns the colours and the indices of several lines. */
  keys(): [colour: string, text: string][] {
    return this.got.length < 2 ? [] : [...this.legend.querySelectorAll("code")].map((c, i) => [colours[i], c.textContent!]);
  }

  private options(points: boolean): uPlot.Options {
    const ink = css("--muted"), grid = css("--rule");
    const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1, size: 5 }, font: `11px ${css("--digits")}` };
    const series: uPlot.Series[] = [{}];
    for (let i = 0; i < this.got.length; i++) {
      for (let k = points ? 1 : 0; k < 2; k++) series.push({ stroke: colours[i], paths: () => null, points: { show: false } });
    }
    return {
      ...this.size(), padding: [null, gapRight, null, null],
      series,
      hooks: { draw: [(u) => drawLines(u, this.got.length, points)] },
      legend: { show: false },
      cursor: { drag: { x: false, y: false }, points: { show: points }, y: false },
      scales: { x: { time: false }, y: { range: [-margin, 1 + margin] } },
      axes: [
        this.x?.places
          ? { ...axis, size: 52, splits: () => this.x!.ticks.ticks.map((t) => t.at), values: (_u, at) => at.map((x) => this.x!.ticks.ticks.find((t) => t.at === x)?.text ?? "") }
          : { ...axis, space: 90, values: (_u, t) => t.map((x) => this.labelX(x)) },
        { ...axis, size: axisWidth, splits: () => this.ticks.map((t) => t.at), values: (_u, at) => this.label(at) },
      ],
    };
  }

  // labelX returns the text of an index along x.
  private labelX(x: number): string {
    const { view: v, info: a } = this.host;
    if (!Number.isInteger(x) || x < 0) return "";
    return a?.axes?.[v.lx]?.valued && x < a.shape[v.lx] ? (this.host.texts.text(a, v.lx, x) ?? "…") : group(x);
  }

  private hover(clientX: number) {
    const { from, to } = this.span();
    if (to <= from) return;
    const f = this.fraction(clientX);
    this.pointAt(Math.round(from - 0.5 + f * (to - from)));
  }

  private pointAt(i: number) {
    const { view: v } = this.host;
    this.at = clamp(i, 0, this.length() - 1);
    const at = [...v.at];
    at[v.lx] = this.at;
    this.host.point({ at });
  }

  // placeOf returns the position of element i along x.
  private placeOf(i: number): number {
    const x = this.x;
    if (!x?.places) return i;
    const k = clamp(Math.floor((i - x.line.from) / x.line.step), 0, x.places.length - 1);
    return x.places[x.backwards ? x.places.length - 1 - k : k];
  }

  private zoom(f: number, at = 0.5) {
    const { from, to } = this.span(), span = to - from;
    const mid = from + span * at;
    const want = clamp(span * f, Math.min(8, this.length()), this.length());
    this.place(mid - want * at, mid + want * (1 - at));
  }

  private pan(by: number) {
    const { from, to } = this.span();
    this.place(from + by * (to - from), to + by * (to - from));
  }

  private place(from: number, to: number) {
    const n = this.length(), span = to - from;
    if (span >= n) {
      this.fit();
      return;
    }
    from = clamp(from, 0, n - span);
    this.host.change({ from, to: from + span });
  }

  fit() {
    this.host.change({ from: 0, to: 0 });
  }

  key(e: KeyboardEvent): boolean {
    if (e.shiftKey && (e.key === "ArrowLeft" || e.key === "ArrowRight")) {
      const { from, to } = this.span();
      this.pointAt((this.at < from || this.at >= to ? Math.floor((from + to) / 2) : this.at) + (e.key === "ArrowLeft" ? -1 : 1));
      const u = this.plot;
      if (u) u.setCursor({ left: u.valToPos(this.placeOf(this.at), "x"), top: u.over.clientHeight / 2 });
      return true;
    }
    if (e.key === "ArrowLeft") this.pan(-0.15);
    else if (e.key === "ArrowRight") this.pan(0.15);
    else if (e.key === "+" || e.key === "=") this.zoom(1 / 1.5);
    else if (e.key === "-" || e.key === "_") this.zoom(1.5);
    else if (e.key === "0") this.fit();
    else return false;
    return true;
  }

  focus() {
    this.box.focus({ preventScroll: true });
  }
}
