// The histogram of the colours, with two handles that set their range. It counts all elements or only the visible ones.
// Each bar is above the colour of its numbers.

import { aborted, arrayPath, getJSON, query, type Histogram, type Range } from "./api";
import { choose, css, fitCanvas, h } from "./dom";
import type { App } from "./main";
import { clamp, full, group, near } from "./num";
import { placer, norm, valueAt, type Norm } from "./scales";
import { sel } from "./state";
import { check, select, tick } from "./widgets";

const bins = 64, foot = 12; // height of the colours in CSS pixels
const thick = 24, beyond = 4; // width of a handle in app.css, and how far its middle may be outside the counts
const atOnce = 2 ** 24; // maximum number of elements for exact counts

type End = "lo" | "hi";

/**
 * wide widens a range of equal numbers, so that it has room for bins: by 1, or more if adding 1 does not change the
 * number.
 */
function wide(lo: number, hi: number): [number, number] {
  const more = Math.max(1, Math.abs(lo) * 2 ** -46);
  return hi > lo ? [lo, hi] : lo + more < Infinity ? [lo, lo + more] : [lo - more, lo];
}

export class RangeHistogram {
  private canvas = h("canvas", { class: "counts", role: "img", "aria-label": "histogram of the colours" });
  private handles = { lo: this.handle("lo", "minimum of the colours, as a slider"), hi: this.handle("hi", "maximum of the colours, as a slider") };
  private scope = select("elements of the histogram", (v) => {
    this.seen = v === "seen";
    this.show();
  });
  private log = check("log counts", (on) => this.app.change({ log: on }));
  private seen = false;
  private held = 0; // distance of the pointer from the line of the handle that it drags
  private said = h("p", { class: "dim small", role: "status" });
  readonly el = h("div", { class: "range-hist" }, h("div", { class: "over" }, this.canvas, this.handles.lo, this.handles.hi), this.said, h("div", { class: "row" }, this.scope, this.log));
  private got: { counts: number[]; norm: Norm; sampled: boolean } | null = null;
  private from = "";
  private key = "";
  private ctl: AbortController | null = null;
  private timer = 0;

  constructor(private app: App) {
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    this.canvas.addEventListener("pointermove", (e) => this.hover(e.offsetX));
    this.canvas.addEventListener("pointerleave", () => (this.said.textContent = this.words()));
  }

  private handle(end: End, name: string): HTMLElement {
    const el: HTMLElement = h("div", { class: `handle ${end}`, role: "slider", tabindex: 0, "aria-label": name, title: name });
    el.addEventListener("pointerdown", (e) => {
      if (!this.got) return;
      el.setPointerCapture(e.pointerId);
      e.preventDefault();
      el.focus();
      this.held = e.clientX - el.getBoundingClientRect().left - parseFloat(el.style.getPropertyValue("--line"));
    });
    el.addEventListener("pointermove", (e) => {
      if (!el.hasPointerCapture(e.pointerId)) return;
      const r = this.canvas.getBoundingClientRect();
      this.move(end, (e.clientX - this.held - r.left) / r.width);
    });
    el.addEventListener("keydown", (e) => {
      const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[e.key];
      if (!by || !this.got) return;
      e.preventDefault();
      this.move(end, placer(this.got.norm)(this.now()[end]) + by / 100);
    });
    return el;
  }

  // now returns the current range of the colours.
  private now(): Norm {
    return this.app.image.range.norm();
  }

  private move(end: End, t: number) {
    if (!this.got) return;
    const n = this.now(), at = placer(this.got.norm), other = at(n[end === "lo" ? "hi" : "lo"]);
    t = end === "lo" ? Math.min(t, other - 1e-3) : Math.max(t, other + 1e-3);
    t = clamp(t, -0.5, 1.5);
    // Use the fewest digits that distinguish the number from one a thousandth of the range away.
    const exact = valueAt(this.got.norm, t), x = Number(near(exact, 100 * Math.abs(valueAt(this.got.norm, t + 1e-3) - exact)));
    if (!Number.isFinite(x)) return;
    if (end === "lo" ? x < n.hi : x > n.lo) this.app.change({ range: "hand", lo: n.lo, hi: n.hi, [end]: x });
  }

  /** hide aborts pending requests. */
  hide() {
    clearTimeout(this.timer);
    this.ctl?.abort();
    this.key = "";
  }

  /** show shows the histogram of the view. */
  show() {
    const v = this.app.view, a = this.app.info!;
    choose(this.scope, [["all", this.app.image.range.frame() ? "of this frame" : "of all"], ["seen", "of visible elements"]], this.seen ? "seen" : "all");
    tick(this.log, v.log);
    const seen = this.seen ? this.app.image.visible() : null;
    const of = seen ? { y: seen.y, x: seen.x, ...seen.region } : this.app.image.range.of();
    const key = JSON.stringify([a.id, a.version, { ...sel(v), at: 0 }, v.scale, v.scale === "gamma" && v.gamma, of, "all" in of ? "" : v.at]);
    const from = JSON.stringify([a.id, { ...sel(v), at: 0 }]);
    if (from !== this.from) { // the current histogram is of another array
      this.from = from;
      this.got = null;
      this.said.textContent = "";
    }
    if (key !== this.key) {
      this.key = key;
      clearTimeout(this.timer);
      const size = seen ? (seen.region.y1 - seen.region.y0) * (seen.region.x1 - seen.region.x0) : this.app.image.range.size();
      this.timer = window.setTimeout(() => this.ask(key, of, size), 120);
    }
    this.draw();
  }

  private async ask(key: string, of: object, size: number) {
    const v = this.app.view, a = this.app.info!, ctl = new AbortController();
    this.ctl?.abort();
    this.ctl = ctl;
    const params = { ...of, exact: size <= atOnce ? 1 : null };
    try {
      const known = this.seen ? null : this.app.image.range.got;
      const r = known && known.sampled === size > atOnce ? known : await getJSON<Range>(arrayPath(a.id, "range") + query(sel(v), { ...params, lo: 0, hi: 100 }), ctl.signal);
      if (r.min === null || r.max === null) {
        this.got = null;
        this.draw();
        return;
      }
      const n = norm(...wide(r.min, r.max), v.scale, v.gamma, r.above0, v.base);
      const edges = Array.from({ length: bins + 1 }, (_, i) => (i === 0 ? n.lo : i === bins ? n.hi : valueAt(n, i / bins))).filter((x, i, e) => i === 0 || x > e[i - 1]);
      const c = await getJSON<Histogram & { sampled: boolean }>(arrayPath(a.id, "histogram") + query(sel(v), { ...params, edges: edges.join(",") }), ctl.signal);
      if (key !== this.key) return;
      this.got = { counts: c.counts, norm: n, sampled: c.sampled };
      this.said.textContent = this.words();
      this.draw();
    } catch (err) {
      if (aborted(err)) return;
      if (key === this.key) this.key = ""; // the pane shows the error
    }
  }

  private words(): string {
    const g = this.got;
    return g ? `${g.sampled ? "≈ " : ""}${group(g.counts.reduce((n, m) => n + m, 0))} elements${g.sampled ? " in a sample" : ""}` : "";
  }

  private hover(px: number) {
    const g = this.got;
    if (!g) return;
    const n = g.counts.length, i = clamp(Math.floor((px / this.canvas.clientWidth) * n), 0, n - 1), span = (g.norm.hi - g.norm.lo) / n;
    const text = (k: number) => near(valueAt(g.norm, k / n), span, this.app.view.base);
    this.said.textContent = `${text(i)} to ${text(i + 1)}: ${g.sampled ? "≈ " : ""}${group(g.counts[i])}`;
  }

  /** draw draws the counts and the colours, and positions the handles. */
  draw() {
    const { g, w, h: hh } = fitCanvas(this.canvas), got = this.got, v = this.app.view;
    g.clearRect(0, 0, w, hh);
    for (const end of ["lo", "hi"] as const) this.handles[end].hidden = !got || v.lo === null || v.hi === null;
    if (!got || v.lo === null || v.hi === null) {
      delete this.canvas.dataset.counts;
      return;
    }
    const range = this.now(), colour = this.app.image.range.painter();
    const n = got.counts.length, height = v.log ? (x: number) => Math.log1p(x) : (x: number) => x;
    const most = Math.max(...got.counts.map(height), 1e-9);
    g.fillStyle = css("--muted");
    got.counts.forEach((x, i) => {
      const x0 = Math.round((i * w) / n), x1 = Math.round(((i + 1) * w) / n), t = (height(x) / most) * (hh - foot - 4);
      g.fillRect(x0, hh - foot - 2 - t, Math.max(1, x1 - x0 - 1), Math.max(x ? 1 : 0, t));
    });
    for (let x = 0; x < w; x++) {
      g.fillStyle = colour(valueAt(got.norm, (x + 0.5) / w));
      g.fillRect(x, hh - foot, 1, foot);
    }
    // The handles of a narrow range are moved apart, so that each can be held. Their lines stay at the numbers.
    const at = placer(got.norm), lines = { lo: clamp(at(range.lo), 0, 1) * w, hi: clamp(at(range.hi), 0, 1) * w };
    const apart = Math.max(0, thick - lines.hi + lines.lo) / 2;
    const middles = { lo: clamp(lines.lo - apart, -beyond, w + beyond - thick), hi: clamp(lines.hi + apart, thick - beyond, w + beyond) };
    for (const end of ["lo", "hi"] as const) {
      const el = this.handles[end], left = middles[end] - thick / 2;
      el.style.left = `${left}px`;
      el.style.setProperty("--line", `${lines[end] - left}px`);
      el.setAttribute("aria-valuemin", full(got.norm.lo, v.base));
      el.setAttribute("aria-valuemax", full(got.norm.hi, v.base));
      el.setAttribute("aria-valuenow", full(range[end], v.base));
    }
    Object.assign(this.canvas.dataset, { counts: got.counts.join(","), lo: got.norm.lo, hi: got.norm.hi, scale: got.norm.scale }); // for tests
  }
}
