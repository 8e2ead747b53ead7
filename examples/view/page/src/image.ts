// The image: two axes of an array as a map that zooms and pans.

import { aborted, arrayPath, getJSON, query, SAMPLED, EXACT, type Info, type Rows, type Tile } from "./api";
import { bad, lut, position } from "./colors";
import { css, fitCanvas, h, print } from "./dom";
import { clamp, group, indices } from "./num";
import type { Host, Pane, Region } from "./pane";
import { ColourRange } from "./range";
import { sel } from "./state";
import { SIDE, Tiles, type Layer, type Paint, type Place } from "./tiles";

const left = 56, top = 24; // room for the rulers, in CSS pixels
const margin = 16; // around an image that is shown as a whole
const maxZoom = 320; // CSS pixels an element

/** Geometry says which elements are where in the window. */
interface Geometry {
  ny: number;
  nx: number;
  w: number; // of the map, in CSS pixels
  h: number;
  zx: number; // CSS pixels an element
  zy: number;
  x0: number; // the element, with its fraction, at the left and the upper edge of the map
  y0: number;
  lx: number; // levels
  ly: number;
}

export class ImagePane implements Pane {
  readonly el: HTMLElement;
  private canvas = h("canvas", { tabindex: 0, role: "application", "aria-label": "image; arrow keys pan, shift and arrow keys move the cursor, plus and minus zoom" });
  private empty = h("p", { class: "empty", hidden: true });
  readonly range: ColourRange;
  private tiles: Tiles;
  private scheduled = false;
  private shown = false;
  private layer = "";
  private before = ""; // the layer that stands in while tiles of this one are on their way
  private cells: { key: string; y: number; x: number; text: string[][] } | null = null;
  private cellsCtl: AbortController | null = null;
  private cellsKey = "";
  private pointers = new Map<number, { x: number; y: number }>();
  private moved = 0;
  private first = false;
  private pointed = ""; // what the cursor is in
  private axes = { y: -1, x: -1 };
  cursor: { y: number; x: number } | null = null;

  constructor(private host: Host, private ranged: () => void) {
    this.range = new ColourRange(host, () => {
      this.draw();
      this.ranged();
    });
    this.tiles = new Tiles(() => this.draw(), (err) => host.fail(err));
    this.el = h("div", { class: "map" }, this.canvas, this.empty);
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    const c = this.canvas;
    c.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    c.addEventListener("pointerdown", (e) => this.down(e));
    c.addEventListener("pointermove", (e) => this.move(e));
    for (const end of ["pointerup", "pointercancel"] as const) c.addEventListener(end, (e) => this.up(e));
    c.addEventListener("pointerleave", (e) => {
      if (!this.pointers.size && e.pointerType === "mouse") this.point(null); // a finger leaves when it is lifted
    });
    c.addEventListener("dblclick", (e) => this.zoom(e.shiftKey ? 0.5 : 2, e.offsetX, e.offsetY));
  }

  show() {
    this.shown = true;
    const { view: v, info: a } = this.host;
    const of = JSON.stringify([a?.id, a?.version, v.field, v.part, v.y, v.x, v.at]);
    if (of !== this.pointed) {
      this.pointed = of;
      if (this.cursor && v.y === this.axes.y && v.x === this.axes.x) this.setCursor(this.cursor); // of another frame
      else if (this.cursor) this.setCursor(null);
      this.axes = { y: v.y, x: v.x };
    }
    this.draw();
  }

  hide() {
    this.shown = false;
    this.tiles.stop();
    this.range.stop();
    this.cellsCtl?.abort();
    this.cellsKey = "";
  }

  /** again asks once more for what failed. */
  again() {
    this.tiles.forget();
  }

  /** forget has nothing stand in for what is to come. */
  forget() {
    this.layer = this.before = "";
  }

  private geometry(): Geometry | null {
    const { view: v, info: a } = this.host;
    if (!a || v.x < 0) return null;
    const w = Math.max(1, this.canvas.clientWidth - left), hh = Math.max(1, this.canvas.clientHeight - top);
    const nx = a.shape[v.x], ny = v.y < 0 ? 1 : a.shape[v.y];
    if (!nx || !ny) return null;
    let { zx, zy, cx, cy } = v;
    if (!(zx > 0)) {
      zx = Math.min((w - margin) / nx, maxZoom);
      zy = Math.min((hh - margin) / ny, maxZoom);
      if (!v.stretch) zx = zy = Math.min(zx, zy);
      cx = nx / 2;
      cy = ny / 2;
    }
    if (!v.stretch) zy = zx;
    else if (!(zy > 0)) zy = zx;
    const dpr = Math.min(window.devicePixelRatio || 1, 3);
    // A cell of a tile is never smaller than a pixel, so that none is lost and none are mixed.
    const l = (z: number, n: number) => clamp(Math.ceil(-Math.log2(z * dpr) - 1e-9), 0, Math.ceil(Math.log2(n)));
    const lx = l(zx, v.stretch ? nx : Math.max(nx, ny)), ly = l(zy, v.stretch ? ny : Math.max(nx, ny));
    return { ny, nx, w, h: hh, zx, zy, x0: cx - w / 2 / zx, y0: cy - hh / 2 / zy, lx, ly };
  }

  visible() {
    const { view: v } = this.host, g = this.geometry();
    if (!g) return null;
    return { y: v.y, x: v.x, region: elements(g) };
  }

  /** colours says whether the elements are colours themselves. */
  colours(): boolean {
    return this.host.info !== null && this.currentLayer().channels >= 0;
  }

  private currentLayer(): Layer {
    const { view: v, info } = this.host, a = info!;
    const n = a.shape.length;
    return {
      id: a.id, version: a.version, sel: sel(v), y: v.y, x: v.x, how: v.how,
      channels: a.rgb && v.rgb && n >= 3 ? n - 1 : -1,
    };
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
    const { g, w, h: hh, dpr } = fitCanvas(this.canvas);
    g.clearRect(0, 0, w, hh);
    const a = this.host.info, v = this.host.view, geo = this.geometry();
    this.empty.hidden = !a || geo !== null;
    if (!a || !geo) {
      if (a) this.empty.textContent = `no elements: shape (${a.shape.join(", ")}${a.shape.length === 1 ? "," : ""})`;
      this.tiles.stop();
      this.host.note("");
      this.host.working(false);
      return;
    }
    const layer = this.currentLayer(), lk = Tiles.layerKey(layer);
    if (lk !== this.layer) {
      this.before = this.layer;
      this.layer = lk;
    }
    if (layer.channels < 0) this.range.show();

    // What is to be seen, from the middle outwards. Where that is most of the plane, one tile of all comes
    // first, and stands in for the others.
    const places = visiblePlaces(geo), all: Place = { ly: level(geo.ny), lx: level(geo.nx), row: 0, col: 0 };
    if (!v.stretch) all.lx = all.ly = Math.max(all.lx, all.ly);
    const few = Math.max(all.lx - geo.lx, all.ly - geo.ly) <= 3;
    this.tiles.want(layer, few && this.tiles.hopeful(Tiles.key(lk, all)) ? [all] : places);

    const overview = this.tiles.find(Tiles.key(lk, all));
    const paint: Paint = layer.channels < 0
      ? { map: v.map, lo: v.lo ?? overview?.min ?? 0, hi: v.hi ?? overview?.max ?? 1 }
      : { map: v.map, ...(v.range === "hand" && v.lo !== null && v.hi !== null ? { lo: v.lo, hi: v.hi } : { lo: 0, hi: brightest(a) }), top: brightest(a) };
    const X = (e: number) => left + (e - geo.x0) * geo.zx, Y = (e: number) => top + (e - geo.y0) * geo.zy;
    const px = (t: number) => Math.round(t * dpr);

    g.save();
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.beginPath();
    const cl = Math.max(px(left), px(X(0))), ct = Math.max(px(top), px(Y(0)));
    g.rect(cl, ct, Math.min(px(w), px(X(geo.nx))) - cl, Math.min(px(hh), px(Y(geo.ny))) - ct);
    g.clip();
    g.fillStyle = css("--well");
    g.fillRect(0, 0, px(w), px(hh));
    let sampled = 0, exact = 0, missing = 0, drawn = 0;
    const put = (key: string, have: Place, want: Place) => {
      const pic = this.tiles.picture(key, paint), t = this.tiles.find(key);
      if (pic && t) drawTile(g, pic, t, have, want, geo, (e) => px(X(e)), (e) => px(Y(e)));
    };
    const ready: Place[] = [];
    for (const p of places) {
      const t = this.tiles.find(Tiles.key(lk, p));
      if (t) {
        ready.push(p);
        drawn++;
        if (t.flags & SAMPLED) sampled++;
        else if (t.flags & EXACT) exact++;
      } else {
        missing++;
        const s = this.standIn(p, all);
        if (s) {
          put(s.key, s.p, p); // may reach beyond its place, so before those that are whole
          drawn++;
        }
      }
    }
    for (const p of ready) put(Tiles.key(lk, p), p, p);
    if (drawn > 0 && !this.first) {
      this.first = true;
      performance.mark("first picture"); // what a test measures
    }
    g.restore();

    const fine = geo.lx === 0 && geo.ly === 0 && Math.min(geo.zx, geo.zy) >= 8;
    if (fine) this.drawGrid(g, geo, X, Y);
    if (geo.lx === 0 && geo.ly === 0 && geo.zx >= 40 && geo.zy >= 18 && layer.channels < 0) this.drawCells(g, geo, lk, layer, paint, X, Y);
    if (this.cursor) this.drawCursor(g, geo, X, Y);
    this.drawRulers(g, geo, w, hh, X, Y);

    this.canvas.dataset.geometry = JSON.stringify({ left, top, ...geo }); // for who reads the picture from outside
    this.host.note(this.describe(geo, missing, sampled, exact));
    this.host.working(this.tiles.waiting || (layer.channels < 0 && (v.lo === null || this.range.waiting)));
  }

  private describe(geo: Geometry, missing: number, sampled: number, exact: number): string {
    const { how } = this.host.view;
    const words = this.currentLayer().channels < 0 ? this.range.words() : "", more = words && ` · ${words}`;
    if (geo.lx === 0 && geo.ly === 0) return "every element" + more;
    const of = `${how} of ${group(2 ** geo.ly)} × ${group(2 ** geo.lx)} elements a cell`;
    if (missing > 0 && sampled + exact === 0) return `${of} · ${this.tiles.waiting ? "loading" : "not to be had"}${more}`;
    return `${sampled ? "≈ " : ""}${of} · ${sampled ? "sampled" : "exact"}${more}`;
  }

  // standIn finds a coarser tile over the same place, of this layer or else of the one before.
  private standIn(p: Place, all: Place): { key: string; p: Place } | null {
    for (const lk of [this.layer, this.before]) {
      if (!lk || (lk !== this.layer && !this.tiles.hopeful(Tiles.key(this.layer, p)))) continue;
      if (lk !== this.layer && this.tiles.find(Tiles.key(lk, p))) return { key: Tiles.key(lk, p), p };
      for (let { ly, lx, row, col } = p; ly < all.ly || lx < all.lx; ) {
        if (ly < all.ly) {
          ly++;
          row = Math.floor(row / 2);
        }
        if (lx < all.lx) {
          lx++;
          col = Math.floor(col / 2);
        }
        const q = { ly, lx, row, col }, key = Tiles.key(lk, q);
        if (this.tiles.find(key)) return { key, p: q };
      }
    }
    return null;
  }

  private drawGrid(g: CanvasRenderingContext2D, geo: Geometry, X: (e: number) => number, Y: (e: number) => number) {
    const r = elements(geo);
    g.save();
    g.beginPath();
    g.rect(left, top, geo.w, geo.h);
    g.clip();
    g.beginPath();
    for (let x = r.x0; x <= r.x1; x++) {
      const t = Math.round(X(x)) + 0.5;
      g.moveTo(t, Y(r.y0));
      g.lineTo(t, Y(r.y1));
    }
    for (let y = r.y0; y <= r.y1; y++) {
      const t = Math.round(Y(y)) + 0.5;
      g.moveTo(X(r.x0), t);
      g.lineTo(X(r.x1), t);
    }
    g.globalAlpha = clamp((Math.min(geo.zx, geo.zy) - 6) / 40, 0.08, 0.35);
    g.strokeStyle = css("--well");
    g.lineWidth = 1;
    g.stroke();
    g.restore();
  }

  // drawCells writes the elements into their cells, once the server has sent their text.
  private drawCells(g: CanvasRenderingContext2D, geo: Geometry, lk: string, layer: Layer, paint: Paint, X: (e: number) => number, Y: (e: number) => number) {
    const r = elements(geo);
    const key = `${lk} ${r.y0} ${r.y1} ${r.x0} ${r.x1}`;
    if (this.cellsKey !== key) {
      this.cellsKey = key;
      this.cellsCtl?.abort();
      const ctl = (this.cellsCtl = new AbortController());
      const one = layer.y < 0;
      const s = { ...layer.sel };
      const path = arrayPath(layer.id, "rows") + query(s, one
        ? { axis: layer.x, from: r.x0, count: r.x1 - r.x0 }
        : { axis: layer.y, from: r.y0, count: r.y1 - r.y0, cols: layer.x, colfrom: r.x0, colcount: r.x1 - r.x0 });
      getJSON<Rows>(path, ctl.signal).then((rows) => {
        if (this.cellsKey !== key) return;
        this.cells = { key: lk, y: r.y0, x: r.x0, text: one ? [rows.rows.map((t) => t[0])] : rows.rows };
        this.draw();
      }, (err) => {
        if (!aborted(err)) this.host.fail(err);
      });
    }
    const c = this.cells;
    if (!c || c.key !== lk) return;
    g.save();
    g.beginPath();
    g.rect(left, top, geo.w, geo.h);
    g.clip();
    g.font = `${clamp(Math.floor(geo.zy / 3), 10, 14)}px ${css("--digits")}`;
    g.textAlign = "center";
    g.textBaseline = "middle";
    const table = lut(paint.map);
    for (let y = r.y0; y < r.y1; y++) {
      for (let x = r.x0; x < r.x1; x++) {
        const text = c.text[y - c.y]?.[x - c.x];
        if (text === undefined) continue;
        const value = this.elementValue(lk, y, x);
        const k = value === null ? -1 : position(value, paint.lo, paint.hi) * 3;
        const rgb = k < 0 ? bad(paint.map) : [table[k], table[k + 1], table[k + 2]];
        g.fillStyle = ink(rgb);
        g.fillText(shorten(g, text, geo.zx - 6), X(x + 0.5), Y(y + 0.5) + 0.5);
      }
    }
    g.restore();
  }

  private elementValue(lk: string, y: number, x: number): number | null {
    const p = { ly: 0, lx: 0, row: Math.floor(y / SIDE), col: Math.floor(x / SIDE) };
    const t = this.tiles.find(Tiles.key(lk, p));
    if (!t || t.channels > 1) return null;
    const v = t.data[(y - p.row * SIDE) * t.w + x - p.col * SIDE];
    return Number.isNaN(v) ? null : (v ?? null);
  }

  private drawCursor(g: CanvasRenderingContext2D, geo: Geometry, X: (e: number) => number, Y: (e: number) => number) {
    const { y, x } = this.cursor!;
    g.save();
    g.beginPath();
    g.rect(left, top, geo.w, geo.h);
    g.clip();
    const w = Math.max(geo.zx, 7), hh = Math.max(geo.zy, 7);
    const cx = X(x + 0.5), cy = Y(y + 0.5);
    for (const [colour, width] of [["rgba(0,0,0,.65)", 4], ["#fff", 2]] as const) {
      g.strokeStyle = colour;
      g.lineWidth = width;
      g.strokeRect(cx - w / 2, cy - hh / 2, w, hh);
    }
    g.restore();
  }

  private drawRulers(g: CanvasRenderingContext2D, geo: Geometry, w: number, hh: number, X: (e: number) => number, Y: (e: number) => number) {
    const v = this.host.view;
    g.fillStyle = css("--paper");
    g.fillRect(0, 0, w, top);
    g.fillRect(0, 0, left, hh);
    g.font = `11px ${css("--digits")}`;
    g.fillStyle = g.strokeStyle = css("--muted");
    g.lineWidth = 1;
    g.textBaseline = "middle";
    const r = elements(geo);
    const edgeX = Math.max(left, Math.round(X(0))), edgeY = Math.max(top, Math.round(Y(0)));
    const along = (lo: number, hi: number, span: number, room: number) =>
      indices(lo, Math.max(lo, hi - 1), Math.max(1, span / room));
    g.textAlign = "center";
    for (const t of along(r.x0, r.x1, (r.x1 - r.x0) * geo.zx, 24 + 7 * String(r.x1).length)) {
      const x = X(t + 0.5);
      if (x < left + 8 || x > w - 8) continue;
      g.fillText(group(t), x, edgeY - top / 2 - 1);
      g.fillRect(Math.round(x), edgeY - 5, 1, 4);
    }
    g.textAlign = "right";
    if (v.y >= 0) {
      for (const t of along(r.y0, r.y1, (r.y1 - r.y0) * geo.zy, 36)) {
        const y = Y(t + 0.5);
        if (y < top + 4 || y > hh - 6) continue;
        g.fillText(group(t), edgeX - 9, y);
        g.fillRect(edgeX - 5, Math.round(y), 4, 1);
      }
    }
  }

  private wheel(e: WheelEvent) {
    e.preventDefault();
    const d = e.deltaY * (e.deltaMode === 1 ? 16 : e.deltaMode === 2 ? 400 : 1);
    if (e.shiftKey) this.pan(d, e.deltaX);
    else this.zoom(Math.exp(-clamp(d, -400, 400) * (e.ctrlKey ? 0.01 : 0.002)), e.offsetX, e.offsetY);
  }

  /** zoom makes elements f times as large; what is at (px, py) in the canvas stays there. */
  zoom(f: number, px = left + (this.canvas.clientWidth - left) / 2, py = top + (this.canvas.clientHeight - top) / 2) {
    const g = this.geometry();
    if (!g) return;
    const least = (n: number, room: number) => Math.min(room / n / 2, 1);
    const least1 = Math.min(least(g.nx, g.w), least(g.ny, g.h));
    const zx = clamp(g.zx * f, this.host.view.stretch ? least(g.nx, g.w) : least1, maxZoom);
    const zy = this.host.view.stretch ? clamp(g.zy * f, least(g.ny, g.h), maxZoom) : zx;
    const ex = g.x0 + (px - left) / g.zx, ey = g.y0 + (py - top) / g.zy;
    this.place(g, zx, zy, ex - (px - left) / zx, ey - (py - top) / zy);
  }

  private pan(dx: number, dy: number) {
    const g = this.geometry();
    if (g) this.place(g, g.zx, g.zy, g.x0 + dx / g.zx, g.y0 + dy / g.zy);
  }

  private place(g: Geometry, zx: number, zy: number, x0: number, y0: number) {
    this.host.change({ zx, zy, cx: clamp(x0 + g.w / 2 / zx, 0, g.nx), cy: clamp(y0 + g.h / 2 / zy, 0, g.ny) });
  }

  /** fit shows all. */
  fit() {
    this.host.change({ zx: 0, zy: 0, cx: 0, cy: 0 });
  }

  private one() {
    const g = this.geometry();
    if (!g) return;
    this.place(g, 1, 1, g.x0 + g.w / 2 / g.zx - g.w / 2, g.y0 + g.h / 2 / g.zy - g.h / 2);
  }

  private down(e: PointerEvent) {
    if (e.button !== 0) return;
    this.canvas.focus({ preventScroll: true });
    this.canvas.setPointerCapture(e.pointerId);
    this.pointers.set(e.pointerId, { x: e.offsetX, y: e.offsetY });
    this.moved = 0;
  }

  private move(e: PointerEvent) {
    const old = this.pointers.get(e.pointerId);
    if (!old) {
      this.point(e);
      return;
    }
    const now = { x: e.offsetX, y: e.offsetY };
    if (this.pointers.size === 1) {
      this.moved += Math.abs(now.x - old.x) + Math.abs(now.y - old.y);
      if (this.moved > 3) {
        this.el.classList.add("dragging");
        this.pan(old.x - now.x, old.y - now.y);
        this.pointers.set(e.pointerId, now);
      }
      return;
    }
    const other = [...this.pointers].find(([id]) => id !== e.pointerId)![1];
    const d = (p: { x: number; y: number }) => Math.hypot(p.x - other.x, p.y - other.y);
    const f = d(now) / Math.max(1, d(old));
    this.pan((old.x - now.x) / 2, (old.y - now.y) / 2);
    this.zoom(f, (now.x + other.x) / 2, (now.y + other.y) / 2);
    this.pointers.set(e.pointerId, now);
  }

  private up(e: PointerEvent) {
    if (!this.pointers.delete(e.pointerId)) return;
    this.el.classList.remove("dragging");
    if (this.moved <= 3) this.point(e);
  }

  private point(e: PointerEvent | null) {
    const g = this.geometry();
    let c: { y: number; x: number } | null = null;
    if (e && g) {
      const x = Math.floor(g.x0 + (e.offsetX - left) / g.zx), y = Math.floor(g.y0 + (e.offsetY - top) / g.zy);
      if (e.offsetX >= left && e.offsetY >= top && x >= 0 && x < g.nx && y >= 0 && y < g.ny) c = { y, x };
    }
    this.setCursor(c);
  }

  private setCursor(c: { y: number; x: number } | null) {
    this.cursor = c;
    const v = this.host.view;
    if (!c) this.host.point(null);
    else {
      const at = [...v.at];
      at[v.x] = c.x;
      if (v.y >= 0) at[v.y] = c.y;
      const { channels } = this.currentLayer();
      if (channels >= 0) at[channels] = 0;
      this.host.point({ at, channels });
    }
    this.draw();
  }

  key(e: KeyboardEvent): boolean {
    const g = this.geometry();
    if (!g) return false;
    const dir: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const d = dir[e.key];
    if (d && e.shiftKey) {
      const r = elements(g);
      const c = this.cursor ?? { y: Math.floor((r.y0 + r.y1) / 2), x: Math.floor((r.x0 + r.x1) / 2) };
      const step = (n: number) => Math.max(1, n); // a pixel when zoomed out, an element when zoomed in
      const x = clamp(c.x + d[0] * step(2 ** g.lx), 0, g.nx - 1), y = clamp(c.y + d[1] * step(2 ** g.ly), 0, g.ny - 1);
      const dx = x < r.x0 ? x - r.x0 : x >= r.x1 ? x - r.x1 + 1 : 0, dy = y < r.y0 ? y - r.y0 : y >= r.y1 ? y - r.y1 + 1 : 0;
      if (dx || dy) this.pan(dx * g.zx, dy * g.zy);
      this.setCursor({ y, x });
      return true;
    }
    if (d) this.pan(d[0] * g.w * 0.15, d[1] * g.h * 0.15);
    else if (e.key === "+" || e.key === "=") this.zoom(1.5);
    else if (e.key === "-" || e.key === "_") this.zoom(1 / 1.5);
    else if (e.key === "0") this.fit();
    else if (e.key === "1") this.one();
    else return false;
    return true;
  }

  focus() {
    this.canvas.focus({ preventScroll: true });
  }

  /** print draws the map with its rulers, finer than the screen has it, for as long as then takes. */
  print(finer: number, then: (canvas: HTMLCanvasElement) => void) {
    const cursor = this.cursor;
    this.cursor = null;
    print(finer, () => {
      this.drawNow();
      then(this.canvas);
    });
    this.cursor = cursor;
    this.drawNow();
  }
}

/** brightest is what the channels of colours are at most. */
export function brightest(a: Info): number {
  return a.kind === "float" ? 1 : 256 ** a.itemsize - 1;
}

/** ink is black or white, whichever has the greater contrast on a colour: at least 4.5, as WCAG counts it. */
function ink(rgb: ArrayLike<number>): string {
  const part = (k: number) => (rgb[k] <= 10.3 ? rgb[k] / 3294.6 : ((rgb[k] / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * part(0) + 0.7152 * part(1) + 0.0722 * part(2) > 0.179 ? "#000" : "#fff";
}

/** level returns the least level at which one tile covers n elements. */
function level(n: number): number {
  let l = 0;
  while (n > SIDE * 2 ** l) l++;
  return l;
}

/** elements returns the elements of which at least a part is on screen. */
function elements(g: Geometry): Region {
  const end = (x: number, n: number) => clamp(Math.ceil(x - 1e-9), 0, n);
  const start = (x: number, n: number) => clamp(Math.floor(x + 1e-9), 0, n);
  return { x0: start(g.x0, g.nx), x1: end(g.x0 + g.w / g.zx, g.nx), y0: start(g.y0, g.ny), y1: end(g.y0 + g.h / g.zy, g.ny) };
}

function visiblePlaces(g: Geometry): Place[] {
  const r = elements(g), sx = SIDE * 2 ** g.lx, sy = SIDE * 2 ** g.ly;
  const out: Place[] = [];
  if (r.x1 <= r.x0 || r.y1 <= r.y0) return out;
  for (let row = Math.floor(r.y0 / sy); row * sy < r.y1; row++) {
    for (let col = Math.floor(r.x0 / sx); col * sx < r.x1; col++) out.push({ ly: g.ly, lx: g.lx, row, col });
  }
  const my = (r.y0 + r.y1) / 2 / sy - 0.5, mx = (r.x0 + r.x1) / 2 / sx - 0.5;
  const far = (p: Place) => Math.hypot(p.row - my, p.col - mx);
  return out.sort((a, b) => far(a) - far(b));
}

/** drawTile draws, from the picture of a tile at have, what lies at want. */
function drawTile(g: CanvasRenderingContext2D, pic: HTMLCanvasElement, t: Tile, have: Place, want: Place, geo: Geometry,
  X: (e: number) => number, Y: (e: number) => number) {
  const side = (h: number, wl: number, wi: number, hl: number, o: number, span: number, n: number): [number, number, number, number] => {
    const step = 2 ** hl, start = h * SIDE * step; // the tile that is there
    const a = Math.max(wi * SIDE * 2 ** wl, o), b = Math.min((wi + 1) * SIDE * 2 ** wl, o + span); // what is wanted and visible
    const s0 = clamp(Math.floor((a - start) / step), 0, n), s1 = clamp(Math.ceil((b - start) / step), 0, n);
    return [s0, s1, start + s0 * step, start + s1 * step];
  };
  const [sx0, sx1, ex0, ex1] = side(have.col, want.lx, want.col, have.lx, geo.x0, geo.w / geo.zx, t.w);
  const [sy0, sy1, ey0, ey1] = side(have.row, want.ly, want.row, have.ly, geo.y0, geo.h / geo.zy, t.h);
  if (sx1 <= sx0 || sy1 <= sy0) return;
  const dx = X(ex0), dy = Y(ey0), dw = X(ex1) - dx, dh = Y(ey1) - dy;
  if (dw <= 0 || dh <= 0) return;
  g.imageSmoothingEnabled = false; // a mean of colours is the colour of nothing
  g.drawImage(pic, sx0, sy0, sx1 - sx0, sy1 - sy0, dx, dy, dw, dh);
}

/** shorten leaves out the end of a text that is wider than w pixels. */
function shorten(g: CanvasRenderingContext2D, text: string, w: number): string {
  if (text.length > 64) text = text.slice(0, 64);
  if (g.measureText(text).width <= w) return text;
  while (text.length > 1 && g.measureText(text + "…").width > w) text = text.slice(0, -1);
  return text + "…";
}
