// The table: rows of text. Only the rows on screen exist in the document. Browsers limit scroll heights to about 2^25
// pixels, so the scroll bars are separate elements whose positions are converted to rows. The wheel, fingers and keys
// move by rows.

import { aborted, arrayPath, getJSON, query, type Rows } from "./api";
import { h } from "./dom";
import { clamp, group } from "./num";
import type { Host, Pane } from "./pane";
import { sel } from "./state";

const rowHeight = 26; // CSS pixels; must match app.css
const block = 64; // rows per request
const colBlock = 32;
const maxBlocks = 96;
const barHeight = 1e6; // maximum height of the scrolled area in CSS pixels

export class TablePane implements Pane {
  readonly el: HTMLElement;
  private grid = h("div", { class: "grid", role: "grid", tabindex: 0, "aria-label": "table; arrow keys move, page up and down, home and end, g goes to a row" });
  private head = h("div", { class: "thead", role: "row" });
  private body = h("div", { class: "tbody", role: "rowgroup" });
  private barV = h("div", { class: "bar-v", tabindex: -1, "aria-hidden": "true" }, h("div"));
  private barH = h("div", { class: "bar-h", tabindex: -1, "aria-hidden": "true" }, h("div"));
  private empty = h("p", { class: "empty", hidden: true });
  private blocks = new Map<string, Rows>();
  private asked = new Map<string, AbortController>();
  private failed = new Set<string>();
  private widths: number[] = [];
  private layer = "";
  private whole = 1; // number of columns that are completely on screen
  private shown = false;
  private scheduled = false;
  private scrolled = { v: -1, h: -1 }; // positions to which this program has set the scroll bars
  private sel = { row: 0, col: 0 };
  private anchor = { row: 0, col: 0 }; // the opposite corner of the selection
  private touch: { y: number; x: number; row: number; col: number } | null = null;

  constructor(private host: Host) {
    this.grid.append(this.head, this.body, this.empty);
    this.el = h("div", { class: "table" }, this.grid, this.barV, this.barH);
    new ResizeObserver(() => this.draw()).observe(this.grid);
    this.grid.addEventListener("wheel", (e) => {
      e.preventDefault();
      const unit = e.deltaMode === 1 ? 1 : e.deltaMode === 2 ? this.page() : 1 / rowHeight;
      const [dx, dy] = e.shiftKey ? [e.deltaY || e.deltaX, 0] : [e.deltaX, e.deltaY];
      this.scroll(this.host.view.row + dy * unit, this.host.view.col + Math.sign(dx) * (Math.abs(dx) > 20 ? 1 : 0));
    }, { passive: false });
    this.barV.addEventListener("scroll", () => {
      if (Math.abs(this.barV.scrollTop - this.scrolled.v) < 1.5) return;
      this.scrolled.v = this.barV.scrollTop;
      const most = this.barV.scrollHeight - this.barV.clientHeight;
      const row = most > 0 ? (this.barV.scrollTop / most) * this.lastTop() : 0;
      this.scroll(this.lastTop() > most ? Math.round(row) : row, this.host.view.col);
    });
    this.barH.addEventListener("scroll", () => {
      if (Math.abs(this.barH.scrollLeft - this.scrolled.h) < 1.5) return;
      this.scrolled.h = this.barH.scrollLeft;
      const most = this.barH.scrollWidth - this.barH.clientWidth;
      this.scroll(this.host.view.row, most > 0 ? Math.round((this.barH.scrollLeft / most) * (this.columnCount() - 1)) : 0);
    });
    this.body.addEventListener("pointerdown", (e) => {
      const cell = (e.target as Element).closest<HTMLElement>("[data-row]");
      if (cell) this.select(Number(cell.dataset.row), Number(cell.dataset.col), false, e.shiftKey);
      this.grid.focus({ preventScroll: true });
      if (e.pointerType === "mouse") return;
      this.body.setPointerCapture(e.pointerId);
      this.touch = { y: e.clientY, x: e.clientX, row: this.host.view.row, col: this.host.view.col };
    });
    this.body.addEventListener("pointermove", (e) => {
      const over = e.pointerType === "mouse" && e.buttons === 1 ? (e.target as Element).closest<HTMLElement>("[data-row]") : null;
      if (over) this.select(Number(over.dataset.row), Number(over.dataset.col), false, true);
      if (this.touch) this.scroll(this.touch.row + (this.touch.y - e.clientY) / rowHeight, this.touch.col + Math.round((this.touch.x - e.clientX) / 90));
    });
    for (const end of ["pointerup", "pointercancel"] as const) this.body.addEventListener(end, () => (this.touch = null));
  }

  private rows(): number {
    const { view: v, info: a } = this.host;
    if (!a || a.shape.includes(0)) return 0;
    return v.tr < 0 ? 1 : a.shape[v.tr];
  }

  /** columnCount returns the number of columns: fields, elements along an axis, or 1. */
  private columnCount(): number {
    const { view: v, info: a } = this.host;
    if (!a) return 0;
    if (a.kind === "struct") return a.fields?.length ?? 0;
    return v.tc < 0 ? 1 : a.shape[v.tc];
  }

  private page(): number {
    return Math.max(1, Math.floor(this.body.clientHeight / rowHeight));
  }

  private lastTop(): number {
    return Math.max(0, this.rows() - this.page());
  }

  visible() {
    const { view: v, info: a } = this.host;
    if (!a || this.rows() === 0 || v.tr < 0) return null;
    const y0 = Math.floor(v.row), y1 = Math.min(this.rows(), y0 + this.page());
    if (v.tc < 0) return { y: -1, x: v.tr, region: { y0: 0, y1: 1, x0: y0, x1: y1 } };
    return { y: v.tr, x: v.tc, region: { y0, y1, x0: v.col, x1: Math.min(this.columnCount(), v.col + this.whole) } };
  }

  show() {
    this.shown = true;
    this.draw();
  }

  hide() {
    this.shown = false;
    for (const ctl of this.asked.values()) ctl.abort();
    this.asked.clear();
  }

  again() {
    this.failed.clear();
  }

  private draw() {
    if (this.scheduled || !this.shown) return;
    this.scheduled = true;
    this.host.working(true);
    requestAnimationFrame(() => {
      this.scheduled = false;
      if (this.shown) this.drawNow();
    });
  }

  private drawNow() {
    const { view: v, info: a } = this.host;
    if (!a) return;
    const n = this.rows(), m = this.columnCount();
    this.empty.hidden = n > 0 && m > 0;
    this.empty.textContent = m === 0 && n > 0 ? "no fields" : `no elements: shape (${a.shape.join(", ")}${a.shape.length === 1 ? "," : ""})`;
    const layer = JSON.stringify([a.id, a.version, v.field, v.part, v.tr, v.tc, v.at.map((i, k) => (k === v.tr || k === v.tc ? -1 : i))]);
    if (layer !== this.layer) {
      const [id, , ...rest] = JSON.parse(layer) as unknown[], [id0, , ...rest0] = this.layer ? (JSON.parse(this.layer) as unknown[]) : [];
      if (JSON.stringify([id, rest]) !== JSON.stringify([id0, rest0])) this.widths = [];
      this.layer = layer;
      this.blocks.clear();
      this.failed.clear();
      for (const ctl of this.asked.values()) ctl.abort();
      this.asked.clear();
    }
    const first = clamp(Math.floor(v.row), 0, this.lastTop()), shift = first === v.row ? 0 : clamp(v.row - first, 0, 1) * rowHeight;
    const last = Math.min(n, first + this.page() + 2);
    const col0 = clamp(v.col, 0, Math.max(0, m - 1));
    const digits = group(Math.max(0, n - 1)).length;
    this.grid.style.setProperty("--index-width", `${Math.max(4, digits) * 8 + 22}px`);
    this.grid.setAttribute("aria-rowcount", String(n));
    this.grid.setAttribute("aria-colcount", String(m));

    // Add columns until they fill the screen. Columns are as wide as the texts seen in them.
    const cols: number[] = [];
    const wide = this.grid.clientWidth - digits * 8 - 22;
    this.whole = 1;
    for (let c = col0, x = 0; c < m && x < wide && cols.length < 200; c++) {
      cols.push(c);
      x += this.width(c);
      if (x <= wide) this.whole = cols.length;
    }
    this.want(first, last, cols);

    const text = (r: number, c: number): string | undefined => {
      const b = this.blocks.get(this.blockKey(Math.floor(r / block), this.colBlockOf(c)));
      const i = a.kind === "struct" ? c : v.tc < 0 ? 0 : c % colBlock;
      return b?.rows[r % block]?.[i];
    };
    let waiting = false;
    const rows: HTMLElement[] = [];
    for (let r = first; r < last; r++) {
      const row = h("div", { class: "tr", role: "row", "aria-rowindex": r + 1 }, h("div", { class: "th", role: "rowheader" }, group(r)));
      for (const c of cols) {
        const t = text(r, c);
        if (t === undefined) waiting = true;
        else this.widths[c] = Math.max(this.widths[c] ?? 0, Math.min(420, Math.ceil(Math.min(t.length, 80) * 8.9) + 28));
        const cell = h("div", {
          class: "td" + (t === undefined ? " waiting" : ""), role: "gridcell", "aria-colindex": c + 1, "data-row": r, "data-col": c,
          "aria-selected": r === this.sel.row && c === this.sel.col ? "true" : null,
          "data-picked": this.picked(r, c) ? "" : null,
        }, t ?? "");
        if (t && t.length > 50) cell.title = t;
        row.append(cell);
      }
      rows.push(row);
    }
    const names = cols.map((c) => (a.kind === "struct" ? (a.fields?.[c]?.name ?? String(c)) : v.tc < 0 ? "value" : group(c)));
    names.forEach((t, i) => (this.widths[cols[i]] = Math.max(this.widths[cols[i]] ?? 72, Math.min(300, t.length * 8 + 24))));
    this.head.replaceChildren(h("div", { class: "th", role: "columnheader" }, "row"), ...names.map((t, i) => h("div", {
      class: "td", role: "columnheader", title: a.kind === "struct" ? `${t}: ${a.fields?.[cols[i]]?.dtype ?? ""}` : null,
    }, t)));
    for (const row of [this.head, ...rows]) {
      cols.forEach((c, i) => ((row.children[i + 1] as HTMLElement).style.width = `${this.width(c)}px`));
    }
    this.body.replaceChildren(...rows);
    this.body.style.setProperty("--shift", `${-shift}px`);
    this.bars(n, m, first + shift / rowHeight, col0);
    this.host.note(n > 0 ? `rows ${group(first)} to ${group(Math.min(n, first + this.page()) - 1)} of ${group(n)}` : "");
    this.host.working(waiting && this.failed.size === 0);
  }

  private width(c: number): number {
    return this.widths[c] ?? 72;
  }

  private colBlockOf(c: number): number {
    const { view: v, info: a } = this.host;
    return a!.kind === "struct" || v.tc < 0 ? 0 : Math.floor(c / colBlock);
  }

  private blockKey(rb: number, cb: number): string {
    return `${rb} ${cb}`;
  }

  private want(first: number, last: number, cols: number[]) {
    const keys = new Map<string, [number, number]>();
    const cbs = new Set(cols.map((c) => this.colBlockOf(c)));
    for (let rb = Math.floor(first / block); rb * block < last; rb++) for (const cb of cbs) keys.set(this.blockKey(rb, cb), [rb, cb]);
    for (const [key, ctl] of this.asked) {
      if (!keys.has(key)) {
        ctl.abort();
        this.asked.delete(key);
      }
    }
    for (const [key, [rb, cb]] of keys) {
      if (this.blocks.has(key) || this.asked.has(key) || this.failed.has(key)) continue;
      this.ask(key, rb, cb);
    }
  }

  private async ask(key: string, rb: number, cb: number) {
    const ctl = new AbortController();
    this.asked.set(key, ctl);
    const { view: v, info } = this.host, a = info!;
    const cols = a.kind !== "struct" && v.tc >= 0;
    const path = arrayPath(a.id, "rows") + query({ ...sel(v), part: "", minus: "" }, {
      axis: v.tr, from: rb * block, count: Math.min(block, this.rows() - rb * block),
      ...(cols ? { cols: v.tc, colfrom: cb * colBlock, colcount: Math.min(colBlock, this.columnCount() - cb * colBlock) } : {}),
    });
    try {
      const rows = await getJSON<Rows>(path, ctl.signal);
      if (this.asked.get(key) !== ctl) return;
      this.blocks.set(key, rows);
      for (const old of this.blocks.keys()) {
        if (this.blocks.size <= maxBlocks) break;
        this.blocks.delete(old);
      }
    } catch (err) {
      if (aborted(err) || this.asked.get(key) !== ctl) return;
      this.failed.add(key);
      this.host.fail(err);
    }
    this.asked.delete(key);
    this.draw();
  }

  private bars(n: number, m: number, top: number, col: number) {
    const tall = Math.min(barHeight, n * rowHeight + this.head.offsetHeight);
    (this.barV.firstChild as HTMLElement).style.height = `${tall}px`;
    this.barV.hidden = n <= this.page();
    const most = tall - this.barV.clientHeight;
    const v = this.lastTop() > 0 ? Math.round((top / this.lastTop()) * most) : 0;
    if (Math.abs(this.barV.scrollTop - v) > 1) {
      this.barV.scrollTop = v;
      this.scrolled.v = this.barV.scrollTop;
    }
    const wide = Math.min(1e6, Math.max(1, m) * 90);
    (this.barH.firstChild as HTMLElement).style.width = `${wide}px`;
    const fits = col === 0 && m * 72 <= this.grid.clientWidth && [...Array(Math.min(m, 200)).keys()].reduce((x, c) => x + this.width(c), 90) <= this.grid.clientWidth;
    this.barH.hidden = fits;
    const x = m > 1 ? Math.round((col / (m - 1)) * (wide - this.barH.clientWidth)) : 0;
    if (Math.abs(this.barH.scrollLeft - x) > 1) {
      this.barH.scrollLeft = x;
      this.scrolled.h = this.barH.scrollLeft;
    }
  }

  private scroll(row: number, col: number) {
    row = clamp(row, 0, this.lastTop());
    this.host.change({ row, col: clamp(Math.round(col), 0, Math.max(0, this.columnCount() - 1)) });
    this.draw();
  }

  /** goTo selects a row and scrolls to it. */
  goTo(row: number) {
    this.select(clamp(Math.round(row), 0, Math.max(0, this.rows() - 1)), this.sel.col, true);
  }

  /** selection returns the selected rows and columns. */
  selection(): { row: number; rows: number; col: number; cols: number } {
    const { sel: a, anchor: b } = this;
    return { row: Math.min(a.row, b.row), rows: Math.abs(a.row - b.row) + 1, col: Math.min(a.col, b.col), cols: Math.abs(a.col - b.col) + 1 };
  }

  private picked(r: number, c: number): boolean {
    const s = this.selection();
    return s.rows * s.cols > 1 && r >= s.row && r < s.row + s.rows && c >= s.col && c < s.col + s.cols;
  }

  private select(row: number, col: number, bring: boolean, extend = false) {
    const { view: v, info: a } = this.host;
    if (!a || this.rows() === 0) return;
    this.sel = { row: clamp(row, 0, this.rows() - 1), col: clamp(col, 0, Math.max(0, this.columnCount() - 1)) };
    if (!extend) this.anchor = this.sel;
    const at = [...v.at];
    if (v.tr >= 0) at[v.tr] = this.sel.row;
    if (v.tc >= 0 && a.kind !== "struct") at[v.tc] = this.sel.col;
    this.host.point({ at });
    let top = Math.floor(v.row), left = v.col;
    if (bring) {
      if (this.sel.row < top) top = this.sel.row;
      if (this.sel.row >= top + this.page()) top = this.sel.row - this.page() + 1;
      if (this.sel.col < left) left = this.sel.col;
      if (this.sel.col >= left + this.whole) left = this.sel.col - this.whole + 1;
    }
    if (top !== Math.floor(v.row) || left !== v.col) this.scroll(top, left);
    this.draw();
  }

  key(e: KeyboardEvent): boolean {
    const { row, col } = this.sel, page = this.page();
    const go: Record<string, [number, number]> = {
      ArrowUp: [row - 1, col], ArrowDown: [row + 1, col], ArrowLeft: [row, col - 1], ArrowRight: [row, col + 1],
      PageUp: [row - page, col], PageDown: [row + page, col],
      Home: e.ctrlKey || this.columnCount() < 2 ? [0, e.ctrlKey ? 0 : col] : [row, 0],
      End: e.ctrlKey || this.columnCount() < 2 ? [this.rows() - 1, e.ctrlKey ? this.columnCount() - 1 : col] : [row, this.columnCount() - 1],
    };
    const to = go[e.key];
    if (!to) return false;
    this.select(to[0], to[1], true, e.shiftKey);
    return true;
  }

  focus() {
    this.grid.focus({ preventScroll: true });
  }
}
