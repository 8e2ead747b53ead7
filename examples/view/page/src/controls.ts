// The controls next to the picture. They are created once and updated when the view changes.

import type { Info } from "./api";
import { axisName } from "./axes";
import { Box } from "./box";
import { Colours } from "./colours";
import { Distribution } from "./distribution";
import { categorical } from "./colors";
import { button, choose, h, icon, icons } from "./dom";
import type { App } from "./main";
import { bytes, group, num } from "./num";
import { scales, type Scale } from "./scales";
import { Sliders } from "./sliders";
import { howOf, initial, mapOf, thread, type Span } from "./state";
import { check, fill, label, number, section, select, tick } from "./widgets";

export class Controls {
  readonly sliders: Sliders;
  readonly colours: Colours;
  readonly distribution: Distribution;
  private box: Box;
  private fields = h("div", { class: "stack" });
  private part = select("part of complex numbers", (v) => this.app.change({ part: v }));
  private rowAxis = select("axis of the rows", (v) => this.setAxes(Number(v), this.shownAxes().x));
  private colAxis = select("axis of the columns", (v) => this.setAxes(this.shownAxes().y, Number(v)));
  private over = select("lines", (v) => this.app.change({ over: Number(v), pins: [] }));
  private xs = select("along x", (v) => this.app.change({ along: v }));
  private swap = button("swap the axes", "t", icons.swap, () => this.swapAxes());
  private rgb = check("colours from the last axis", (on) => this.app.change({ rgb: on, x: -1, y: -1, lo: null, hi: null }));
  private stretch = check("stretch to the window", (on) => this.app.change({ stretch: on, zx: 0, zy: 0 }));
  private flipY = check("first row at the bottom", (on) => this.app.change({ flipY: on }));
  private flipX = check("first column at the right", (on) => this.app.change({ flipX: on }));
  private aspect = number("height of an element over its width", (x) => (x === null ? this.app.refresh() : this.app.change({ aspect: x, zx: 0, zy: 0, stretch: false })));
  private how = select("a pixel shows", (v) => this.app.change({ how: v }));
  private goRow = h("input", { type: "text", inputmode: "numeric", "aria-label": "go to row", placeholder: "row" });
  private scaleY = select("scale of y", (v) => this.app.change({ scaleY: v as Scale }));
  private gamma = number("gamma of y", (x) => (x === null ? this.app.refresh() : this.app.change({ gamma: x })));
  private pinButton = h("button", { type: "button", onclick: () => this.app.pin(this.app.view.at) }, icon(icons.pin), "Keep this line");
  private followBox = check("follow appended elements", (on) => this.app.followEnd(on));
  private about = h("dl", { class: "about" });

  private field = section("field", "Field", this.fields, this.part);
  private axes = section("axes", "Axes", h("div", { class: "axes" }, label("rows", this.rowAxis), this.swap, label("columns", this.colAxis)), this.over, this.xs);
  private index: HTMLElement;
  private pixel = section("pixel", "Pixels", label("a pixel shows the", this.how), this.rgb, this.stretch, this.flipY, this.flipX, label("height over width", this.aspect));
  private lines = section("lines", "Lines", h("div", { class: "row" }, this.scaleY, this.gamma), this.pinButton);
  private rows = section("rows", "Go to row", this.goForm());
  private spread: HTMLElement;
  readonly el: HTMLElement;

  constructor(private app: App) {
    this.sliders = new Sliders(app);
    this.colours = new Colours(app);
    this.box = new Box(app);
    this.distribution = new Distribution(app, () => app.pane, () => app.image.range);
    this.index = section("index", "Index", this.sliders.el);
    this.spread = section("distribution", "Distribution", this.distribution.el);
    this.el = h("aside", { class: "controls", "aria-label": "view" },
      this.field, this.axes, this.index, app.compare.el, this.box.marker, this.box.el, this.colours.el, this.pixel, this.lines, this.colours.counted, this.rows, this.spread, section("about", "File", this.about, this.followBox));
  }

  private goForm(): HTMLFormElement {
    const form = h("form", { class: "row" }, this.goRow, h("button", {}, "Go"));
    form.addEventListener("submit", (e) => {
      e.preventDefault();
      const x = Number(this.goRow.value.replace(/[\s_,\u202f]/g, ""));
      if (this.goRow.value.trim() !== "" && Number.isFinite(x)) this.app.table.goTo(x < 0 ? x + (this.app.info?.shape[this.app.view.tr] ?? 0) : x);
      this.app.table.focus();
    });
    return form;
  }

  /** askRow focuses the field for the row number. */
  askRow() {
    this.app.openDrawer("controls");
    this.goRow.focus();
    this.goRow.select();
  }

  /** measure computes the distribution if possible. */
  measure() {
    if (this.spread.hidden) return;
    if (this.app.openDrawer("controls")) this.distribution.focus();
    this.spread.scrollIntoView({ block: "nearest" });
    this.distribution.start();
  }

  private shownAxes(): { y: number; x: number } {
    const { view: v } = this.app;
    return v.mode === "image" ? { y: v.y, x: v.x } : v.mode === "table" ? { y: v.tr, x: v.tc } : { y: -1, x: v.lx };
  }

  private setAxes(y: number, x: number) {
    const { info: a, view: v } = this.app;
    if (!a) return;
    if (v.mode === "lines") {
      this.app.change({ lx: x, over: -2, from: 0, to: 0 });
      return;
    }
    const old = this.shownAxes();
    if (y === x) y === old.y ? (y = old.x) : (x = old.y); // the axes were equal, so swap them
    if (v.mode === "table") this.app.change({ tr: y, tc: x, row: 0, col: 0 });
    else this.app.change({ y, x, zx: 0, zy: 0, cx: 0, cy: 0, stretch: thread(a, y, x), box: null, across: null });
  }

  /** swapAxes swaps rows and columns. */
  swapAxes() {
    const { info: a, view: v } = this.app;
    if (!a || a.shape.length < 2 || v.mode === "lines") return;
    if (v.mode === "table") {
      if (v.tc >= 0) this.app.change({ tr: v.tc, tc: v.tr, row: v.col, col: Math.floor(v.row) });
    } else this.app.change({ y: v.x, x: v.y, zx: v.zy, zy: v.zx, cx: v.cy, cy: v.cx, box: turned(v.box), across: turned(v.across) });
  }

  private setField(depth: number, name: string) {
    const v = this.app.view, field = v.field.slice(0, depth);
    if (name) field.push(name.slice(1));
    this.app.open({ ...initial, src: v.src, field, mode: name ? v.mode : "table", at: v.at, map: [categorical, mapOf(v.part)].includes(v.map) ? "" : v.map, row: v.row });
  }

  show(a: Info) {
    const v = this.app.view, n = a.shape.length;
    this.showFields(a);
    const shown = this.shownAxes(), rgb = this.app.rgb();
    this.showAxes(a, shown, rgb);

    // Sliders for the axes that are not shown, and the choice of a projection for these axes.
    const free = a.shape.map((_, k) => k).filter((k) => k !== shown.x && k !== shown.y && !(v.mode === "lines" && k === v.over) && !(rgb && k === a.channels) && a.shape[k] > 1);
    if (!free.includes(this.sliders.axis)) this.sliders.axis = free[0] ?? -1;
    this.followBox.hidden = n === 0;
    this.sliders.show(this.app.origin!, [...free, ...v.project.map((p) => p.axis)].sort((j, k) => j - k));
    this.index.hidden = this.sliders.empty;

    this.app.compare.show(a);
    this.colours.show(a, free.length > 0);
    this.pixel.hidden = v.mode !== "image";
    choose(this.how, [["mean", "mean"], ["min", "minimum"], ["max", "maximum"]], howOf(v));
    this.how.parentElement!.hidden = rgb;
    this.rgb.hidden = !a.rgb;
    this.rgb.lastChild!.textContent = `colours from ${a.rgb && a.channels < n - 1 ? `axis ${a.channels}` : "the last axis"}`;
    tick(this.rgb, v.rgb);
    tick(this.stretch, v.stretch);
    tick(this.flipY, v.flipY);
    tick(this.flipX, v.flipX);
    fill(this.aspect, v.aspect, !this.app.busy);
    this.flipY.hidden = v.y < 0;
    this.aspect.parentElement!.hidden = v.stretch || v.y < 0;

    this.lines.hidden = v.mode !== "lines";
    this.pinButton.hidden = n < 2 || v.over >= 0;
    choose(this.scaleY, scales.filter(([s]) => a.base === "0" || s === "linear" || s === "gamma"), v.scaleY);
    this.gamma.hidden = v.scaleY !== "gamma";
    fill(this.gamma, v.gamma, !this.app.busy);
    this.rows.hidden = v.mode !== "table" || n === 0;
    this.spread.hidden = !a.numeric || n === 0;
    this.distribution.show();
    this.box.show();
    this.showAbout(a);
  }

  private showFields(a: Info) {
    const { view: v, parents } = this.app;
    const structs = [...parents, ...(a.kind === "struct" ? [a] : [])];
    this.field.hidden = structs.length === 0 && a.kind !== "complex";
    const key = JSON.stringify([structs.map((p) => p.fields), v.field]);
    if (this.fields.dataset.key !== key) {
      this.fields.dataset.key = key;
      this.fields.replaceChildren(...structs.map((p, depth) => {
        const el = select(depth ? "nested field" : "field", (name) => this.setField(depth, name));
        choose(el, [["", "all fields"], ...(p.fields ?? []).map((f): [string, string] => ["." + f.name, `${f.name} · ${f.dtype}`])], v.field[depth] === undefined ? "" : "." + v.field[depth]);
        return el;
      }));
    }
    this.part.hidden = a.kind !== "complex";
    choose(this.part, [["abs", "magnitude"], ["angle", "angle"], ["real", "real part"], ["imag", "imaginary part"]], v.part);
  }

  private showAxes(a: Info, shown: { y: number; x: number }, rgb: boolean) {
    const v = this.app.view, n = a.shape.length;
    const axes = a.shape.map((len, k): [string, string] => [String(k), `${axisName(a, k) || k} · ${group(len)}`]).filter((_, k) => !(rgb && k === a.channels));
    const xs = v.mode === "lines" ? this.app.xSources() : [];
    this.xs.hidden = xs.length === 0;
    choose(this.xs, [["", "x is the index"], ...xs.map((x): [string, string] => [x.key, `x is ${x.name}`])], this.app.along()?.key ?? "");
    this.rowAxis.closest<HTMLElement>(".axes")!.hidden = n < 2;
    this.axes.hidden = n < 2 && xs.length === 0;
    this.rowAxis.parentElement!.hidden = this.swap.hidden = v.mode === "lines" || (v.mode === "table" && shown.x < 0);
    if (v.mode === "table" && shown.x < 0) {
      this.rowAxis.parentElement!.hidden = false;
      this.colAxis.parentElement!.hidden = true;
    } else this.colAxis.parentElement!.hidden = false;
    const many = v.mode === "lines" ? a.first.few.filter((k) => k !== v.lx).map((k): [string, string] => [String(k), `each of ${axisName(a, k) || `axis ${k}`} · ${group(a.shape[k])}`]) : [];
    this.over.hidden = many.length === 0;
    choose(this.over, [["-1", "one line"], ...many], String(v.over));
    this.colAxis.previousElementSibling!.textContent = v.mode === "lines" ? "along" : "columns";
    choose(this.rowAxis, axes, String(shown.y));
    choose(this.colAxis, axes, String(shown.x));
  }

  private showAbout(a: Info) {
    const about: [string, string][] = a.objects ? [["dtype", a.objects], ["shape", `(${a.shape.join(", ")}${a.shape.length === 1 ? "," : ""})`], ...(a.kind === "object" ? [] : [["shown as", a.dtype] as [string, string]])] : [
      ["dtype", a.dtype + (a.bigEndian ? ", big-endian" : "")], ["shape", `(${a.shape.join(", ")}${a.shape.length === 1 ? "," : ""})`],
      ["order", a.order === "C" ? "C" : a.order === "F" ? "Fortran" : "strided"], ["bytes", `${bytes(num(a.nbytes))} · ${group(a.nbytes)}`],
      ["data", a.projected ? "computed" : a.inflated ? "decompressed" : `from byte ${group(a.dataOffset)}`],
    ];
    this.about.replaceChildren(...about.flatMap(([k, t]) => [h("dt", {}, k), h("dd", {}, t)]));
  }
}

// turned returns s with rows and columns swapped.
function turned(s: Span | null): Span | null {
  return s && [s[1], s[0], s[3], s[2]];
}
