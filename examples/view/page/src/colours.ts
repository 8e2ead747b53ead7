// The controls of the colours: the map and its range.

import type { Info } from "./api";
import { Categories, type Labels } from "./categories";
import { ColorBar } from "./colorbar";
import { categorical, maps, mapName } from "./colors";
import { choose, h } from "./dom";
import { brightest } from "./geometry";
import { RangeHistogram } from "./histogram";
import type { App } from "./main";
import { clamp, full, near } from "./num";
import { scales, type Scale } from "./scales";
import { differs, isWhole, type RangeMode, type View } from "./state";
import { check, fill, number, section, select, tick } from "./widgets";

export class Colours {
  readonly bar = new ColorBar();
  readonly histogram: RangeHistogram;
  private categories = new Categories();
  private values = new Categories(false);
  /** counted is the section with the counts of the labels in an array of one dimension, for lines. */
  readonly counted = section("values", "Values", this.values.el);
  private base = () => this.app.view.base;
  private reversed = check("reversed", (on) => this.app.change({ reversed: on }));
  private scale = select("scale of the colours", (v) => this.app.change({ scale: v as Scale }));
  private gamma = number("gamma", (x) => this.set(x, (x) => ({ gamma: x })));
  private map = select("colour map", (v) => this.app.change({ map: v }));
  private range = select("colour range", (v) => this.app.change({ range: v as RangeMode }));
  private lo = number("minimum of the colours", (x) => this.set(x, (x) => ({ range: "hand", lo: x, hi: this.app.view.hi ?? brightest(this.app.info!) })), this.base);
  private hi = number("maximum of the colours", (x) => this.set(x, (x) => ({ range: "hand", lo: this.app.view.lo ?? 0, hi: x })), this.base);
  private approximate = h("span", { class: "sampled", title: "from a sample", hidden: true }, "≈");
  private ends = h("div", { class: "pair" }, this.approximate, this.lo, h("span", {}, "to"), this.hi);
  private plo = number("lower percentile", (x) => this.set(x, (x) => ({ plo: clamp(x, 0, this.app.view.phi) })));
  private phi = number("upper percentile", (x) => this.set(x, (x) => ({ phi: clamp(x, this.app.view.plo, 100) })));
  private percent = h("div", { class: "pair percent" }, this.plo, h("span", {}, "% to"), this.phi, h("span", {}, "%"));
  private perFrame = check("for each frame", (on) => this.app.change({ perFrame: on }));
  readonly el: HTMLElement;

  constructor(private app: App) {
    this.histogram = new RangeHistogram(app);
    this.el = section("colours", "Colours", this.map, this.categories.el, this.histogram.el, this.ends, this.range, this.percent, this.perFrame,
      h("div", { class: "row" }, this.scale, this.gamma), this.reversed);
  }

  private set(x: number | null, patch: (x: number) => Partial<View>) {
    if (x === null) this.app.refresh();
    else this.app.change(patch(x));
  }

  /** nextRange selects the next kind of range: manual, of all frames, of this frame. */
  nextRange() {
    const v = this.app.view, hand = v.range === "hand";
    this.app.change({ range: hand ? "percentile" : v.range, perFrame: hand || !v.perFrame, lo: null, hi: null });
  }

  /** show shows the settings of the view. frames reports whether there are several frames. */
  show(a: Info, frames: boolean) {
    const v = this.app.view, rgb = this.app.rgb();
    this.el.hidden = v.mode !== "image" || (rgb && a.itemsize === 1);
    this.map.hidden = this.range.hidden = this.reversed.hidden = this.scale.hidden = rgb;
    this.bar.canvas.hidden = this.bar.shares.hidden = this.el.hidden || rgb || a.shape.includes(0);
    choose(this.map, maps.filter((m) => m !== categorical || isWhole(a)).map((m) => [m, m]), v.map);
    choose(this.scale, scales.filter(([s]) => a.base === "0" || s === "linear" || s === "gamma"), v.scale);
    tick(this.reversed, v.reversed);
    fill(this.gamma, v.gamma, !this.app.busy);
    this.gamma.hidden = v.scale !== "gamma" || rgb;
    const own = v.map === categorical && !rgb && !this.app.image.range.tooMany; // integers have their own colours, and no range
    if (v.map === categorical) this.reversed.hidden = this.scale.hidden = true;
    const fixed = a.kind === "bool" ? "false to true" : v.part === "angle" ? "a full turn" : "";
    if (fixed) choose(this.range, [["percentile", fixed], ["hand", "by hand"]], v.range === "hand" ? "hand" : "percentile");
    else choose(this.range, [["percentile", "percentiles"], ["extremes", "minimum to maximum"], ["hand", "by hand"]], v.range);
    fill(this.plo, v.plo, !this.app.busy);
    fill(this.phi, v.phi, !this.app.busy);
    this.percent.hidden = v.range !== "percentile" || rgb || fixed !== "";
    this.perFrame.hidden = v.range === "hand" || rgb || fixed !== "" || !frames;
    tick(this.perFrame, v.perFrame);
    this.histogram.el.hidden = rgb || own || a.shape.includes(0);
    this.ends.hidden = own;
    if (own) this.range.hidden = this.percent.hidden = this.perFrame.hidden = true;
    if (this.hasCounts(a)) this.app.image.range.countKinds();
    this.showRange();
  }

  // hasCounts reports whether lines have the counts of labels.
  private hasCounts(a: Info): boolean {
    const v = this.app.view;
    return v.mode === "lines" && v.map === categorical && a.shape.length === 1;
  }

  /** showRange shows the range of the colours, and whether it is exact. */
  showRange() {
    const v = this.app.view, r = this.app.image.range, rgb = this.app.rgb();
    const colours = this.app.image.colours(), none = r.none && v.range !== "hand";
    const [lo, hi] = none ? [null, null] : colours && v.range !== "hand" ? [0, brightest(this.app.info!)] : [v.lo, v.hi];
    const span = lo !== null && hi !== null ? hi - lo : 0;
    for (const [el, x] of [[this.lo, lo], [this.hi, hi]] as const) {
      fill(el, x === null ? "" : near(x, span, v.base), !this.app.busy);
      el.title = `${el.getAttribute("aria-label")}${x === null ? "" : `: ${full(x, v.base)}`}`;
    }
    this.approximate.hidden = r.exact || v.range === "hand";
    if (!this.el.hidden && !this.histogram.el.hidden) this.histogram.show();
    else this.histogram.hide();
    const labels = differs(v) ? null : this.labels();
    this.categories.show(rgb ? null : r.shownKinds(), labels, v.base);
    this.values.show(this.hasCounts(this.app.info!) ? r.shownKinds() : null, labels, v.base);
    this.counted.hidden = this.values.el.hidden;
    this.bar.show(mapName(v), lo === null || hi === null ? null : colours ? { lo, hi, scale: "linear", gamma: 1 } : r.norm(lo, hi), v.base, isWhole(this.app.info!), r.paintedKinds(), labels, v.map === categorical ? [] : r.shares());
  }

  // labels returns the labels of the integers from the description file, or the names of bools.
  private labels(): Labels {
    const a = this.app.info!;
    return a.labels ?? (a.kind === "bool" ? { 0: "false", 1: "true" } : null);
  }
}
