// A box or a line drawn on the image, and statistics of its elements.

import { aborted, arrayPath, ask, getLine, message, query, runJob, type Histogram, type Moments, type Summary } from "./api";
import { drawBars, told } from "./bars";
import { lines as colours } from "./colors";
import { css, fitCanvas, h } from "./dom";
import type { App } from "./main";
import { group, near } from "./num";
import { download } from "./saving";
import { sel, type Span, type View } from "./state";
import { section } from "./widgets";

export class Box {
  private title = h("p", { class: "small" });
  private stats = h("dl", { class: "moments" });
  private hist = h("canvas", { class: "bars", role: "img", "aria-label": "histogram of the box", hidden: true });
  private said = h("p", { class: "dim small", role: "status" });
  private code = h("div", { class: "stack" });
  private profile = h("canvas", { class: "profile", role: "img", "aria-label": "profile of the line" });
  private ends = h("p", { class: "small" });
  private boxPart = h("div", { class: "stack" }, this.title, this.stats, this.hist, this.said, this.code,
    h("div", { class: "row" }, h("button", { type: "button", class: "keep", onclick: () => this.save() }, "Save as .npy"), h("button", { type: "button", onclick: () => this.app.change({ box: null }) }, "Remove the box")));
  private linePart = h("div", { class: "stack" }, this.ends, this.profile, h("div", { class: "row" }, h("button", { type: "button", onclick: () => this.app.change({ across: null }) }, "Remove the line")));
  readonly el = section("box", "Box", this.boxPart, this.linePart);
  private key = "";
  private lineKey = "";
  private ctl: AbortController | null = null;
  private lineCtl: AbortController | null = null;
  private got: Histogram | null = null;
  private line: Float64Array | null = null;

  constructor(private app: App) {
    new ResizeObserver(() => this.draw()).observe(this.hist);
    new ResizeObserver(() => this.draw()).observe(this.profile);
  }

  /** show updates the box and the line to those of the view. */
  show() {
    const v = this.app.view, a = this.app.info!, on = v.mode === "image" && v.y >= 0 && !this.app.rgb();
    this.boxPart.hidden = !on || !v.box;
    this.linePart.hidden = !on || !v.across;
    this.el.hidden = this.boxPart.hidden && this.linePart.hidden;
    const of = [a.id, a.version, sel(v), v.y, v.x];
    const key = on && v.box ? JSON.stringify([of, v.box]) : "", lineKey = on && v.across ? JSON.stringify([of, v.across]) : "";
    if (key !== this.key) {
      this.key = key;
      this.ctl?.abort();
      if (v.box && key) this.ask(key, v.box);
    }
    if (lineKey !== this.lineKey) {
      this.lineKey = lineKey;
      this.lineCtl?.abort();
      if (v.across && lineKey) this.askLine(lineKey, v.across);
    }
    this.draw();
  }

  private async ask(key: string, b: Span) {
    const v = this.app.view, a = this.app.info!, ctl = (this.ctl = new AbortController());
    const [y0, x0, y1, x1] = b;
    this.title.textContent = `rows ${group(y0)} to ${group(y1 - 1)}, columns ${group(x0)} to ${group(x1 - 1)}: ${group(y1 - y0)} × ${group(x1 - x0)}`;
    const texts = v.project.length ? [] : selection(v, a.shape.length, b); // "copy as code" has the code of projections
    this.code.replaceChildren(...texts.map(([name, text]) => h("div", { class: "row" }, h("code", { "data-lang": name }, text), h("button", {
      type: "button", "aria-label": `copy the box as ${name}`, onclick: () => navigator.clipboard.writeText(text).then(() => this.app.note("copied"), (err) => this.app.fail(err)),
    }, "Copy"))));
    this.said.textContent = "counting …";
    delete this.stats.dataset.done;
    this.stats.replaceChildren(); // remove the previous box
    this.got = null;
    this.hist.hidden = true;
    const common = { region: { y: v.y, x: v.x, at: v.at, y0, y1, x0, x1 }, ...sel(v), at: undefined };
    try {
      const m = await runJob<Moments & { median: Summary; middle?: string }>(a.id, { kind: "box", ...common }, (p) => (this.said.textContent = `counting … ${Math.round(100 * p)} %`), ctl.signal);
      if (key !== this.key) return;
      this.stats.replaceChildren(...(["count", "nan", "mean", "std", "min", "max", "median"] as const).flatMap((k) => [
        h("dt", {}, k === "nan" ? "NaN" : k), h("dd", { "data-box": k }, k === "count" || k === "nan" ? group(m[k]) : told(k, m, v.base))]));
      this.got = m.count === 0 ? null : await runJob<Histogram>(a.id, { kind: "histogram", bins: 64, ...common }, () => {}, ctl.signal);
      if (key !== this.key) return;
      this.hist.hidden = this.got === null;
      this.said.textContent = "of all elements in the box";
      this.stats.dataset.done = b.join();
      this.draw();
    } catch (err) {
      if (!aborted(err) && key === this.key) this.said.textContent = message(err);
    }
  }

  private async askLine(key: string, [y0, x0, y1, x1]: Span) {
    const v = this.app.view, a = this.app.info!, ctl = (this.lineCtl = new AbortController());
    this.ends.textContent = `from [${y0}, ${x0}] to [${y1}, ${x1}]`;
    this.line = null; // remove the previous line
    this.profile.width = 0;
    delete this.profile.dataset.n;
    try {
      const l = await getLine(arrayPath(a.id, "profile") + query(sel(v), { y: v.y, x: v.x, y0, x0, y1, x1 }), ctl.signal);
      if (key !== this.lineKey) return;
      this.line = l.lo;
      this.draw();
    } catch (err) {
      if (aborted(err) || key !== this.lineKey) return;
      this.line = null;
      this.ends.textContent = message(err);
    }
  }

  private async save() {
    const v = this.app.view, a = this.app.info!;
    if (!v.box) return;
    const [y0, x0, y1, x1] = v.box;
    try {
      const r = await ask(arrayPath(a.id, "save") + query(sel(v), { y: v.y, x: v.x, y0, y1, x0, x1 }));
      if (!r.ok) throw new Error((await r.json()).error ?? r.statusText);
      download(await r.blob(), `${(a.name.split(/[/\\:]/).pop() ?? "").replace(/\.np[yz]$/, "") || "array"}-box.npy`);
    } catch (err) {
      this.app.fail(err);
    }
  }

  private draw() {
    const v = this.app.view;
    if (this.got && !this.hist.hidden && this.hist.clientWidth) drawBars(this.hist, this.got, v, this.app.image.range);
    if (!this.line || this.linePart.hidden || !this.profile.clientWidth) return;
    const { g, w, h: hh } = fitCanvas(this.profile), line = this.line, n = line.length;
    g.clearRect(0, 0, w, hh);
    const finite = [...line].filter(Number.isFinite), lo = Math.min(...finite), hi = Math.max(...finite), head = 14, foot = 14;
    g.strokeStyle = colours[0];
    g.lineWidth = 1.5;
    g.beginPath();
    let pen = false;
    line.forEach((x, i) => {
      const px = ((i + 0.5) / n) * w, py = hi > lo ? hh - foot - ((x - lo) / (hi - lo)) * (hh - head - foot) : hh / 2;
      if (!Number.isFinite(x)) pen = false;
      else if (pen) g.lineTo(px, py);
      else {
        g.moveTo(px - 0.5, py);
        g.lineTo(px, py);
        pen = true;
      }
    });
    g.stroke();
    g.fillStyle = css("--muted");
    g.font = `10.5px ${css("--digits")}`;
    if (finite.length) {
      g.textBaseline = "top";
      g.fillText(near(hi, hi - lo, v.base), 0, 0);
      g.textBaseline = "bottom";
      g.fillText(near(lo, hi - lo, v.base), 0, hh);
    }
    g.textAlign = "right";
    g.fillText(`${group(n)} elements`, w, hh);
    Object.assign(this.profile.dataset, { values: [...line].slice(0, 64).join(","), n: String(n) }); // for tests
    this.profile.setAttribute("aria-label", `profile of ${n} elements, from ${near(lo, hi - lo, v.base)} to ${near(hi, hi - lo, v.base)}`);
  }
}

/** selection returns code that selects a box, in NumPy and in Go. */
function selection(v: View, n: number, [y0, x0, y1, x1]: Span): [string, string][] {
  const part = (one: (i: number) => string, range: (a: number, b: number) => string) =>
    Array.from({ length: n }, (_, k) => (k === v.y ? range(y0, y1) : k === v.x ? range(x0, x1) : one(v.at[k]))).join(", ");
  const fields = v.field.map((f) => `[${JSON.stringify(f)}]`).join(""), swapped = v.y > v.x;
  return [
    ["NumPy", `a${fields}[${part(String, (a, b) => `${a}:${b}`)}]${swapped ? ".T" : ""}`],
    ["Go", [...v.field.map((f) => `a, err = a.Field(${JSON.stringify(f)})`), `a.Select(${part((i) => `index.At(${i})`, (a, b) => `index.Range(${a}, ${b})`)})`].join("; ") + (swapped ? " // and .T()" : "")],
  ];
}
