// Comparison of two arrays of equal shape, or of two frames of an array: side by side, alternating, or as a difference.

import { aborted, getInfo, type Info } from "./api";
import type { AxisTexts } from "./axes";
import { categorical } from "./colors";
import { choose, h } from "./dom";
import { ImagePane } from "./image";
import type { App } from "./main";
import { clamp, rebase } from "./num";
import type { Cursor, Host } from "./pane";
import { differs, type Comparison, type View } from "./state";
import { fill, number, section, select } from "./widgets";

const period = 600; // time in ms that each image is shown

export class Compare {
  private other = select("the other array", (v) => this.choose(v));
  private how = select("how to compare", (v) => this.change({ compare: v as Comparison }));
  private at = number("index of the other frame", (x) => (x === null ? this.app.refresh() : this.setIndex(x)));
  private label = h("span", { class: "small dim" });
  private frame = h("div", { class: "row" }, this.label, this.at);
  readonly el = section("compare", "Compare", this.other, this.how, this.frame);
  readonly pair: HTMLElement;
  private twin: Twin;
  private timer = 0;

  constructor(private app: App) {
    this.twin = new Twin(app);
    this.pair = h("div", { class: "images" }, app.image.el);
  }

  /** second returns the other array if it is shown next to the first array or alternates with it. */
  get second(): Twin | null {
    const v = this.app.view;
    return v.other && !differs(v) && v.mode === "image" && this.twin.info ? this.twin : null;
  }

  private change(patch: Partial<View>) {
    const v = { ...this.app.view, ...patch }, map = differs(v) && ["viridis", categorical].includes(v.map) ? "red–blue" : !differs(v) && v.map === "red–blue" ? "" : v.map;
    this.app.change({ ...patch, map, lo: null, hi: null, range: "percentile" });
  }

  private choose(id: string) {
    const v = this.app.view, a = this.app.info!, k = this.app.sliders.axis, frame = id === a.id && k >= 0;
    const otherAt = frame ? v.at.map((i, m) => (m === k ? (i + 1) % a.shape[k] : i)) : [];
    this.change({ other: id, otherAt });
  }

  private setIndex(x: number) {
    const k = this.app.sliders.axis, a = this.app.info!;
    this.change({ otherAt: this.app.view.otherAt.map((i, m) => (m === k ? clamp(Math.trunc(x < 0 ? x + a.shape[k] : x), 0, a.shape[k] - 1) : i)) });
  }

  /** next selects the next way to compare. If nothing is compared, it selects the first array of equal shape. */
  next() {
    const v = this.app.view, first = [...this.other.options].find((o) => o.value);
    if (!first || this.el.hidden) return;
    if (!v.other) this.choose(first.value);
    else if (v.compare === "difference") this.change({ other: "", otherAt: [], compare: "side" });
    else this.change({ compare: v.compare === "side" ? "blink" : "difference" });
  }

  /** show shows the settings and the other array. */
  show(a: Info) {
    const v = this.app.view, k = this.app.sliders.axis;
    const shape = a.shape.join(" × ");
    const others = this.app.sources.flat().filter((s) => s.kind === "array" && s.id !== a.id && s.summary?.split(" · ")[1] === shape);
    this.el.hidden = v.mode === "table" || v.mode === "tree" || v.project.length > 0 || !a.numeric || (others.length === 0 && k < 0);
    choose(this.other, [["", "with nothing"], ...(k >= 0 ? [[a.id, "another frame"] as [string, string]] : []), ...others.map((s): [string, string] => [s.id, s.name])], v.other);
    choose(this.how, [["side", "side by side"], ["blink", "in turns"], ["difference", "difference"]], v.compare);
    this.how.hidden = !v.other;
    if (v.mode === "lines") choose(this.how, [["side", "—"], ["difference", "difference"]], differs(v) ? "difference" : "side");
    this.frame.hidden = !v.other || v.otherAt.length === 0 || k < 0;
    this.label.textContent = `axis ${k}`;
    fill(this.at, v.otherAt[k] ?? 0, !this.app.busy);
    this.twin.show(v.other && !differs(v) && v.mode === "image" ? v.other : "");
    const on = this.second;
    if (on && this.twin.pane.el.parentElement !== this.pair) this.pair.append(this.twin.pane.el);
    else if (!on) this.twin.pane.el.remove();
    this.pair.dataset.compare = on ? v.compare : "";
    const blinks = on !== null && v.compare === "blink";
    if (blinks && !this.timer) this.timer = window.setInterval(() => this.turn(), period);
    else if (!blinks) {
      clearInterval(this.timer);
      this.timer = 0;
      delete this.pair.dataset.turn;
    }
  }

  private turn() {
    this.pair.dataset.turn = this.pair.dataset.turn === "other" ? "first" : "other";
  }

  /** words describes the comparison for the foot. */
  words(): string {
    const v = this.app.view;
    if (!v.other || this.el.hidden) return "";
    const name = this.app.sources.flat().find((s) => s.id === v.other)?.name ?? v.other;
    const at = v.otherAt.length ? ` [${v.otherAt.map((i, k) => (k === v.y || k === v.x ? ":" : i)).join(", ")}]` : "";
    return ` · ${differs(v) ? "minus" : "next to"} ${name}${at}`;
  }
}

/** Twin shows the image of the other array with the zoom, the cursor and the range of the first image. */
class Twin implements Host {
  readonly pane: ImagePane;
  info: Info | null = null;
  readonly texts: AxisTexts;
  private asked = "";
  private ctl: AbortController | null = null;

  constructor(private app: App) {
    this.texts = app.texts;
    this.pane = new ImagePane(this, () => {}, app.image.range);
  }

  get view(): View {
    // The base of an int64 array may be out of range for uint64, and vice versa.
    const v = this.app.view, own = this.info?.base ?? v.base, base = own === "0" || v.base === "0" ? "0" : this.info?.kind === this.app.info?.kind ? v.base : own;
    const to = (x: number | null) => (x === null ? null : rebase(x, v.base, base));
    return { ...v, at: v.otherAt.length ? v.otherAt : v.at, base, lo: to(v.lo), hi: to(v.hi), box: null, across: null };
  }

  show(id: string) {
    if (id !== this.asked) {
      this.asked = id;
      this.info = null;
      this.pane.forget();
      this.ctl?.abort();
      if (id) this.ask(id);
    }
    if (this.info) this.pane.show();
    else this.pane.hide();
  }

  private async ask(id: string) {
    const ctl = (this.ctl = new AbortController()), field = this.app.view.field;
    try {
      this.info = await getInfo(id, field, ctl.signal).catch((err) => (field.length && !aborted(err) ? getInfo(id, [], ctl.signal) : Promise.reject(err)));
      this.app.refresh();
    } catch (err) {
      if (!aborted(err)) this.app.fail(err);
    }
  }

  along() {
    return null;
  }

  change(patch: Partial<View>) {
    this.app.change(patch);
  }

  point(c: Cursor | null) {
    this.app.image.follow(this.pane.cursor);
    this.app.point(c && { ...c, at: c.at.map((i, k) => (k === this.app.view.y || k === this.app.view.x ? i : this.app.view.at[k])) });
  }

  note() {}

  fail(err: unknown) {
    this.app.fail(err);
  }

  working() {}
}
