// The distribution: moments and a histogram of all or of the visible elements. The server computes them in the
// background.

import { aborted, message, runJob, type Histogram, type Info, type Moments, type Sel, type Summary } from "./api";
import { drawBars, edge, told } from "./bars";
import { h } from "./dom";
import { group } from "./num";
import type { Host, Pane } from "./pane";
import type { ColourRange } from "./range";
import { differs, sel } from "./state";

export class Distribution {
  readonly el: HTMLElement;
  private canvas = h("canvas", { class: "hist", role: "img", "aria-label": "histogram", hidden: true });
  private scope = h("select", { "aria-label": "counted elements" }, h("option", { value: "all" }, "all elements"), h("option", { value: "visible" }, "visible elements"));
  private go = h("button", { type: "button", onclick: () => this.start() }, "Compute");
  private stopButton = h("button", { type: "button", hidden: true, onclick: () => this.cancel() }, "Cancel");
  private bar = h("progress", { max: 1, value: 0, hidden: true, "aria-label": "progress" });
  private table = h("dl", { class: "moments" });
  private said = h("p", { class: "dim small", role: "status" });
  private use = h("button", { type: "button", class: "plain", hidden: true, onclick: () => this.asColours() }, "Use as colour range");
  private ctl: AbortController | null = null;
  private hist: Histogram | null = null;
  private of = "";
  private words = ""; // description of the counted elements
  private version = 0; // version of the array that was counted

  constructor(private host: Host, private pane: () => Pane, private range: () => ColourRange) {
    this.el = h("div", { class: "distribution" },
      h("div", { class: "row" }, this.scope, this.go, this.stopButton), this.bar, this.canvas, this.table, this.use, this.said);
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    this.canvas.addEventListener("pointermove", (e) => this.hover(e.offsetX));
  }

  private key(): string {
    const { info: a } = this.host;
    return JSON.stringify([a?.id, { ...this.sel(), at: 0 }, this.frame()]);
  }

  // sel returns the selection of the distribution. Tables do not show differences.
  private sel(): Sel {
    const v = this.host.view;
    return v.mode === "table" ? { ...sel(v), minus: "", minusAt: [] } : sel(v);
  }

  // frame returns the plane or line on screen if the view shows the difference of two frames of an array, because only
  // frames have equal shapes. It returns null if all elements can be counted.
  private frame() {
    const { view: v, info: a } = this.host, one = v.mode === "lines";
    if (v.mode === "table" || !a || !differs(v) || v.otherAt.length === 0) return null;
    return one ? { y: -1, x: v.lx, at: v.at, y0: 0, y1: 1, x0: 0, x1: a.shape[v.lx] } : { y: v.y, x: v.x, at: v.at, y0: 0, y1: a.shape[v.y] ?? 1, x0: 0, x1: a.shape[v.x] };
  }

  /** show removes the results of another array. */
  show() {
    if (this.key() !== this.of && (this.hist || this.ctl || this.table.childElementCount)) this.reset();
    this.go.disabled = !this.host.info?.numeric;
    this.old();
    this.draw();
  }

  // old shows a notice if the file has changed after the computation.
  private old() {
    if (this.el.dataset.done && this.host.info?.version !== this.version) this.said.textContent = `${this.words}, before the file changed`;
  }

  private reset() {
    this.ctl?.abort();
    this.hist = null;
    this.table.replaceChildren();
    this.canvas.hidden = this.use.hidden = true;
    this.said.textContent = "";
    delete this.el.dataset.done;
  }

  focus() {
    this.go.focus();
  }

  cancel() {
    this.ctl?.abort();
  }

  async start() {
    const { view: v, info: a } = this.host;
    if (!a || !a.numeric) return;
    this.reset();
    this.of = this.key();
    this.version = a.version;
    const ctl = (this.ctl = new AbortController());
    const on = (working: boolean) => {
      const focused = [this.go, this.stopButton].some((b) => b === document.activeElement);
      this.bar.hidden = this.stopButton.hidden = !working;
      this.go.hidden = working;
      if (focused) (working ? this.stopButton : this.go).focus();
    };
    on(true);
    let region: object | null = this.frame();
    const seen = this.scope.value === "visible" ? this.pane().visible() : null;
    if (seen) region = { y: seen.y, x: seen.x, at: v.at, ...seen.region };
    const common = { region, ...this.sel(), at: undefined };
    try {
      this.bar.value = 0;
      const m = await runJob<Moments>(a.id, { kind: "moments", ...common }, (p) => (this.bar.value = p / 2), ctl.signal);
      this.showMoments(m, a);
      this.hist = await runJob<Histogram>(a.id, { kind: "histogram", bins: 64, lo: finite(m.min), hi: finite(m.max), ...common }, (p) => (this.bar.value = 0.5 + p / 2), ctl.signal);
      this.canvas.hidden = false;
      this.use.hidden = false;
      this.said.textContent = this.words = seen ? "of the visible elements" : !region ? "of all elements" : v.mode === "lines" ? "of this line" : "of this plane";
      this.el.dataset.done = seen ? "visible" : "all";
      this.old();
      this.draw();
    } catch (err) {
      if (this.ctl === ctl) this.said.textContent = aborted(err) ? "cancelled" : message(err);
    } finally {
      if (this.ctl === ctl) {
        this.ctl = null;
        on(false);
      }
    }
  }

  private showMoments(m: Moments, a: Info) {
    const rows: [string, string][] = [["count", group(m.count)]];
    if (m.nan > 0) rows.push([a.kind === "datetime" || a.kind === "timedelta" ? "NaT" : "NaN", group(m.nan)]);
    for (const k of ["mean", "std", "min", "max"] as const) rows.push([k, told(k, m, this.host.view.base)]);
    this.table.replaceChildren(...rows.flatMap(([k, t]) => [h("dt", {}, k), h("dd", { "data-of": k }, t)]));
  }

  private asColours() {
    const e = this.hist?.edges;
    if (e) this.host.change({ range: "hand", lo: e[0], hi: e[e.length - 1] });
  }

  private hover(x: number) {
    if (!this.hist) return;
    const n = this.hist.counts.length, i = Math.max(0, Math.min(n - 1, Math.floor((x / this.canvas.clientWidth) * n)));
    this.said.textContent = `${edge(this.hist, i, this.host.view.base)} to ${edge(this.hist, i + 1, this.host.view.base)}: ${group(this.hist.counts[i])}`;
  }

  draw() {
    if (!this.hist || this.canvas.hidden || !this.canvas.clientWidth) return;
    drawBars(this.canvas, this.hist, this.host.view, this.range());
  }
}

// finite returns x if it is finite. Otherwise it returns null, which denotes the least or greatest finite element.
function finite(x: Summary): number | null {
  return typeof x === "number" ? x : null;
}
