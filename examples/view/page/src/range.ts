// The range of the colours. Only this file decides about the range, its accuracy, and the share of elements outside.

import { aborted, arrayPath, getJSON, query, runJob, type Outside, type Range } from "./api";
import type { Kinds } from "./categories";
import { categorical, diverging, kindColours, lut, mapName, positions } from "./colors";
import { css } from "./dom";
import { full, percent } from "./num";
import type { Host } from "./pane";
import { norm, type Norm } from "./scales";
import { differs, sel } from "./state";

const atOnce = 2 ** 26; // maximum number of elements in a range request; more elements need a job
const inJob = 2 ** 30; // maximum number of elements for a job

export class ColourRange {
  /** exact is false while the range comes from a sample. */
  exact = true;
  /** none is true if no element is finite. */
  none = false;
  outside: Outside | null = null;
  /** kinds are the distinct integers and their counts, for the categorical map, or null if they are unknown or too many. */
  kinds: Kinds | null = null;
  /** tooMany is true if there are more integers than colours in the categorical map. */
  tooMany = false;
  private range: Range | null = null; // the last response of the server for key
  private above0: number | null = null; // the least positive number
  private above0Of = ""; // key of the elements from which above0 comes
  private kindsKey = "";
  private key = "";
  private outsideKey = "";
  private ctl: AbortController | null = null;
  private outsideCtl: AbortController | null = null;
  private timer = 0;
  private same: number | null = null; // the number that all finite elements are equal to, if any

  constructor(private host: Host, private changed: () => void) {}

  stop() {
    this.ctl?.abort();
    this.outsideCtl?.abort();
    clearTimeout(this.timer);
    this.key = this.outsideKey = "";
  }

  /** got returns the server's response for the current view, or null while it is pending. */
  get got(): Range | null {
    return this.key === this.wanted() ? this.range : null;
  }

  /** waiting reports whether the exact range will arrive soon. */
  get waiting(): boolean {
    return (this.host.view.map === categorical && this.kinds === null && !this.tooMany) || this.ctl !== null && (this.host.view.lo === null || (this.begins && this.got === null) || (!this.exact && this.size() <= atOnce));
  }

  /** norm returns the range and its scale. */
  norm(lo = this.host.view.lo, hi = this.host.view.hi): Norm {
    const v = this.host.view;
    return norm(lo ?? 0, hi ?? 1, v.scale, v.gamma, this.above0, v.base);
  }

  /** of returns the request parameters that select the elements of the range. */
  of(): object {
    const v = this.host.view;
    return this.whole() ? { all: 1 } : { y: v.y, x: v.x };
  }

  /** frame reports whether the range covers only one of several frames. */
  frame(): boolean {
    const { view: v, info: a } = this.host;
    return v.perFrame && a!.shape.some((n, k) => n > 1 && k !== v.x && k !== v.y);
  }

  /** shownKinds returns the integers with their own colours and their counts, or null. */
  shownKinds(): Kinds | null {
    return this.host.view.map === categorical ? this.kinds : null;
  }

  /** paintedKinds returns the integers with their own colours, or null. */
  paintedKinds(): number[] | null {
    return this.shownKinds()?.values ?? null;
  }

  /** painter returns a function that returns the colour of numbers within a distance of half from x. */
  painter(): (x: number, half?: number) => string {
    const { view: v } = this.host, table = lut(mapName(v)), position = positions(this.norm()), kinds = this.paintedKinds(), own = kinds && kindColours(kinds);
    return (x, half = 0.5) => {
      const k = kinds ? kinds.findIndex((y) => Math.abs(y - x) <= half) : -1, c = kinds ? 0 : 3 * position(x);
      return k >= 0 ? `rgb(${own![k]})` : kinds ? css("--rule") : `rgb(${table[c]},${table[c + 1]},${table[c + 2]})`;
    };
  }

  private whole(): boolean {
    const { view: v, info: a } = this.host;
    if (differs(v) && v.otherAt.length) return false; // only frames have equal shapes
    return !v.perFrame && a!.shape.some((n, k) => n > 1 && k !== v.x && k !== v.y);
  }

  /** size returns the number of elements of the range. */
  size(): number {
    const { view: v, info: a } = this.host;
    return a!.shape.filter((_, k) => this.whole() || k === v.x || k === v.y).reduce((n, m) => n * m, 1);
  }

  private plane(): string {
    const { view: v, info: a } = this.host;
    return JSON.stringify([a!.id, a!.version, v.field, v.part, differs(v) && [v.other, v.otherAt], v.y, v.x, v.at.map((i, k) => (k === v.y || k === v.x ? 0 : i))]);
  }

  // begins reports whether a manual range on a logarithmic scale begins at the least positive number, because its lower
  // end is not positive.
  private get begins(): boolean {
    const v = this.host.view;
    return v.range === "hand" && v.scale === "log" && v.base === "0" && v.lo !== null && v.lo <= 0;
  }

  // what returns a key for the elements from which the range is computed.
  private what(): string {
    const { view: v, info: a } = this.host;
    return this.whole() ? JSON.stringify([a!.id, a!.version, v.field, v.part, differs(v) && v.other]) : this.plane();
  }

  private wanted(): string {
    const { view: v } = this.host;
    return `${this.what()} ${v.range} ${v.plo} ${v.phi} ${diverging(v.map)} ${this.begins}`;
  }

  /** show requests the range of the view if it has changed. */
  show() {
    const { view: v, info: a } = this.host;
    const key = this.wanted();
    if (key !== this.key || (v.lo === null && !this.ctl)) {
      this.key = key;
      this.ctl?.abort();
      this.ctl = null;
      this.none = false;
      this.range = null;
      this.same = null;
      this.exact = true;
      if (this.above0Of !== this.what()) this.above0 = null;
      this.above0Of = this.what();
      if (a!.kind === "bool" && !differs(v) && v.range !== "hand") this.host.change({ lo: 0, hi: 1 });
      else if (v.part === "angle" && !differs(v) && v.range !== "hand") this.host.change({ lo: -Math.PI, hi: Math.PI });
      else if (v.range !== "hand" || v.lo === null || this.begins) this.ask(key);
    }
    if (v.lo !== null && v.hi !== null) this.count(v.lo, v.hi);
    if (v.map === categorical) this.countKinds();
  }

  private async ask(key: string) {
    const ctl = (this.ctl = new AbortController());
    const { view: v, info } = this.host, a = info!;
    const whole = this.whole(), percentiles = v.range === "extremes" || this.begins ? { lo: 0, hi: 100 } : { lo: v.plo, hi: v.phi };
    const get = (exact: number | null) => getJSON<Range>(arrayPath(a.id, "range") + query(sel(v), {
      ...this.of(), ...percentiles, exact }), ctl.signal);
    try {
      const some = await get(null);
      this.use(some, ctl, key);
      const size = this.size();
      if (some.sampled && size <= atOnce) this.use(await get(1), ctl, key);
      else if (some.sampled && size <= inJob) {
        const region = whole ? null : { y: v.y, x: v.x, at: v.at, y0: 0, y1: v.y < 0 ? 1 : a.shape[v.y], x0: 0, x1: a.shape[v.x] };
        this.use(await runJob<Range>(a.id, { kind: "range", ...percentiles, region, ...sel(v), at: undefined }, () => {}, ctl.signal), ctl, key);
      }
    } catch (err) {
      if (!aborted(err) && key === this.wanted()) {
        this.host.fail(err);
        if (this.host.view.lo === null) this.host.change({ lo: 0, hi: 1 });
      }
    } finally {
      if (this.ctl === ctl) {
        this.ctl = null;
        this.changed();
      }
    }
  }

  private use(r: Range, ctl: AbortController, key: string) {
    if (ctl.signal.aborted || key !== this.wanted()) return; // the view has changed and will be drawn later
    const v = this.host.view;
    this.exact = !r.sampled;
    this.range = r;
    this.above0 = r.above0;
    this.none = r.min === null || r.max === null;
    this.same = !this.none && r.min === r.max ? r.min : null;
    if (this.begins) {
      this.changed();
      return;
    }
    let lo = (v.range === "extremes" ? r.min : r.lo) ?? 0, hi = (v.range === "extremes" ? r.max : r.hi) ?? 1;
    if (lo === hi && r.min !== null && r.max !== null) [lo, hi] = [r.min, r.max]; // nearly constant
    if (diverging(v.map) && v.base === "0") {
      hi = Math.max(Math.abs(lo), Math.abs(hi));
      lo = -hi;
    }
    this.host.change({ lo, hi });
    this.changed();
  }

  /** countKinds requests the distinct integers and their counts if the array has changed. */
  async countKinds() {
    const { view: v, info: a } = this.host, frames = differs(v) && v.otherAt.length > 0; // only frames have equal shapes
    const key = frames ? this.plane() : JSON.stringify([a!.id, a!.version, v.field, differs(v) && v.other]);
    if (key === this.kindsKey) return;
    this.kindsKey = key;
    this.kinds = null;
    this.tooMany = false;
    try {
      const size = frames ? this.size() : a!.shape.reduce((n, m) => n * m, 1);
      const { values, counts, sampled } = await getJSON<{ values: number[] | null; counts: number[]; sampled: boolean }>(arrayPath(a!.id, "values") + query(sel(v), { ...(frames ? this.of() : { all: 1 }), exact: size <= atOnce ? 1 : null }));
      if (key !== this.kindsKey) return;
      this.kinds = values && { values, counts, sampled };
      this.tooMany = values === null;
      this.changed();
    } catch (err) {
      this.host.fail(err);
    }
  }

  // count counts NaN and numbers outside the range, once the view has not changed for a moment.
  private count(lo: number, hi: number) {
    const { view: v, info: a } = this.host;
    const key = `${this.plane()} ${lo} ${hi}`;
    if (key === this.outsideKey) return;
    this.outsideKey = key;
    this.outside = null;
    this.outsideCtl?.abort();
    const ctl = (this.outsideCtl = new AbortController());
    clearTimeout(this.timer);
    this.timer = window.setTimeout(async () => {
      try {
        const o = await getJSON<Outside>(arrayPath(a!.id, "outside") + query(sel(v), { y: v.y, x: v.x, lo, hi }), ctl.signal);
        if (this.outsideKey !== key) return;
        this.outside = o;
        this.changed();
      } catch (err) {
        if (!aborted(err) && this.outsideKey === key) this.outsideKey = "";
      }
    }, 150);
  }

  /** words returns a note about the range for the foot. */
  words(): string {
    const { view: v } = this.host;
    if (v.map === categorical && this.tooMany) return "more than 1024 integers: coloured by range";
    if (v.range !== "hand" && this.none) return this.exact ? "no element is finite" : "≈ no element is finite";
    if (v.range !== "hand" && this.same !== null && this.exact) return `all elements are ${full(this.same, v.base)}`;
    return this.exact ? "" : "colours ≈ from a sample";
  }

  /** shares returns the shares of NaN and of numbers outside the range that are not zero. */
  shares(): { what: "NaN" | "above" | "below"; text: string }[] {
    const o = this.outside;
    if (!o) return [];
    const about = o.sampled ? "≈ " : "";
    return ([["above", o.above], ["below", o.below], ["NaN", o.nan]] as const)
      .filter(([, n]) => n > 0).map(([what, n]) => ({ what, text: `${about}${percent(n, o.of)}` }));
  }
}
