// A box or a line drawn on the image, and statistics of its elements.

import { aborted, arrayPath, ask, getLine, message, query, runJob, type Histogram, type Moments, type Summary } from "./api";
import { drawBars, told } from "./bars";
import { code, entries, parseBox } from "./brackets";
import { lines as colours } from "./colors";
import { css, fitCanvas, h } from "./dom";
import type { App } from "./main";
import { group, near } from "./num";
import { download } from "./saving";
import { sel, type Span, type View } from "./state";
import { section } from "./widgets";

const patience = 60; // time without a change of the box before its elements are counted while it is dragged, in ms

export class Box {
  private typed = h("input", { type: "text", "aria-label": "box, as between the brackets in NumPy", placeholder: "12:38, 22:62", title: "rows and columns of the box, as between the brackets in NumPy", onchange: () => this.read() });
  private wrong = h("p", { class: "small bad", role: "status", hidden: true });
  private hint = h("p", { class: "dim small" }, "Drag with shift to draw a box, or type rows and columns.");
  private title = h("p", { class: "small" });
  private stats = h("dl", { class: "moments" });
  private hist = h("canvas", { class: "bars", role: "img", "aria-label": "histogram of the box", hidden: true });
  private said = h("p", { class: "dim small", role: "status" });
  private code = h("div", { class: "stack" });
  private profile = h("canvas", { class: "profile", role: "img", "aria-label": "profile of the line" });
  private ends = h("p", { class: "small" });
  private boxPart = h("div", { class: "stack boxed" }, this.title, this.stats, this.hist, this.said, this.code,
    h("div", { class: "row" }, h("button", { type: "button", class: "keep", onclick: () => this.save() }, "Save as .npy"), h("button", { type: "button", onclick: () => this.remove({ box: null }) }, "Remove the box")));
  private linePart = h("div", { class: "stack" }, this.ends, this.profile, h("div", { class: "row" }, h("button", { type: "button", onclick: () => this.remove({ across: null }) }, "Remove the line")));
  readonly el = section("box", "Box", h("div", { class: "stack" }, this.typed, this.wrong, this.hint), this.boxPart, this.linePart);
  readonly marker = document.createComment("box"); // the place of el in the controls
  private narrow = matchMedia("(max-width: 980px)"); // the controls are a drawer, as in app.css
  private key = "";
  private lineKey = "";
  private ctl: AbortController | null = null;
  private lineCtl: AbortController | null = null;
  private got: Histogram | null = null;
  private line: Float64Array | null = null;

  constructor(private app: App) {
    this.narrow.addEventListener("change", () => this.place());
    new ResizeObserver(() => this.draw()).observe(this.hist);
    new ResizeObserver(() => this.draw()).observe(this.profile);
  }

  /** show updates the box and the line to those of the view. */
  show() {
    const v = this.app.view, a = this.app.info!, on = v.mode === "image" && v.y >= 0 && !this.app.rgb();
    this.boxPart.hidden = !on || !v.box;
    this.linePart.hidden = !on || !v.across;
    this.hint.hidden = v.box !== null;
    this.el.hidden = !on;
    this.place();
    const of = [a.id, a.version, sel(v), v.y, v.x];
    const key = on && v.box ? JSON.stringify([of, v.box]) : "", lineKey = on && v.across ? JSON.stringify([of, v.across]) : "";
    if (key !== this.key) {
      this.key = key;
      this.ctl?.abort();
      this.typed.value = on && v.box ? entries(v, a.shape.length, v.box) : "";
      this.say("");
      if (v.box && key) this.ask(key, v.box);
    }
    if (lineKey !== this.lineKey) {
      this.lineKey = lineKey;
      this.lineCtl?.abort();
      if (v.across && lineKey) this.askLine(lineKey, v.across);
    }
    this.draw();
  }

  // place moves the section below the image while the controls are a drawer, so that the statistics stay in view. It
  // does so after the pointer is released, because this changes the size of the image.
  private place() {
    const below = this.narrow.matches && !(this.boxPart.hidden && this.linePart.hidden);
    if (this.app.image.pulling || below === (this.el.parentElement === this.app.main)) return;
    const focused = this.el.contains(document.activeElement) ? (document.activeElement as HTMLElement) : null;
    if (below) this.app.main.append(this.el);
    else this.marker.after(this.el);
    focused?.focus({ preventScroll: true });
  }

  // read sets the box to the typed selection.
  private read() {
    const v = this.app.view, text = this.typed.value.trim();
    try {
      const { box, at } = text ? parseBox(text, v, this.app.info!.shape) : { box: null, at: v.at };
      this.key = ""; // shows the selection as the page writes it
      this.app.change({ box, at });
    } catch (err) {
      this.say(message(err));
    }
  }

  // remove removes the box or the line, and focuses the image.
  private remove(patch: Partial<View>) {
    this.app.change(patch);
    this.app.pane.focus();
  }

  // say shows an error in the typed selection.
  private say(text: string) {
    this.wrong.textContent = text;
    this.wrong.hidden = text === "";
    this.typed.setAttribute("aria-invalid", String(text !== ""));
  }

  private async ask(key: string, b: Span) {
    const v = this.app.view, a = this.app.info!, ctl = (this.ctl = new AbortController());
    const [y0, x0, y1, x1] = b;
    this.title.textContent = `rows ${group(y0)} to ${group(y1 - 1)}, columns ${group(x0)} to ${group(x1 - 1)}: ${group(y1 - y0)} × ${group(x1 - x0)}`;
    const texts = v.project.length ? [] : code(v, a.shape.length, b); // "copy as code" has the code of projections
    this.code.replaceChildren(...texts.map(([name, text]) => h("div", { class: "row" }, h("code", { "data-lang": name }, text), h("button", {
      type: "button", "aria-label": `copy the box as ${name}`, onclick: () => navigator.clipboard.writeText(text).then(() => this.app.note("copied"), (err) => this.app.fail(err)),
    }, "Copy"))));
    this.said.textContent = "counting …";
    delete this.stats.dataset.done;
    this.boxPart.classList.add("stale"); // the numbers of the previous box stay, so that the section keeps its height
    const common = { region: { y: v.y, x: v.x, at: v.at, y0, y1, x0, x1 }, ...sel(v), at: undefined };
    try {
      await new Promise((done) => setTimeout(done, this.app.image.pulling ? patience : 0));
      if (key !== this.key) return;
      const m = await runJob<Moments & { median: Summary; middle?: string }>(a.id, { kind: "box", ...common }, (p) => (this.said.textContent = `counting … ${Math.round(100 * p)} %`), ctl.signal);
      if (key !== this.key) return;
      this.stats.replaceChildren(...(["count", "nan", "mean", "std", "min", "max", "median"] as const).flatMap((k) => [
        h("dt", {}, k === "nan" ? "NaN" : k), h("dd", { "data-box": k }, k === "count" || k === "nan" ? group(m[k]) : told(k, m, v.base))]));
      this.boxPart.classList.remove("stale");
      this.got = m.count === 0 ? null : await runJob<Histogram>(a.id, { kind: "histogram", bins: 64, ...common }, () => {}, ctl.signal);
      if (key !== this.key) return;
      this.hist.hidden = this.got === null;
      this.said.textContent = "of all elements in the box";
      this.stats.dataset.done = b.join();
      this.draw();
    } catch (err) {
      if (aborted(err) || key !== this.key) return;
      this.stats.replaceChildren();
      this.hist.hidden = true;
      this.said.textContent = message(err);
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
