// The image: two axes of an array as a map that zooms and pans.

import { EXACT, SAMPLED } from "./api";
import { axisName } from "./axes";
import { Cells } from "./cells";
import { CellText } from "./celltext";
import { mapName } from "./colors";
import { css, fitCanvas, h, print, type Sheet } from "./dom";
import { apart, boxOf, brightest, elementAt, elements, geometry, left, level, maxZoom, toElements, top, toScreen, visiblePlaces, type Geometry } from "./geometry";
import { Gestures, type Place as Position, type Pull } from "./gestures";
import { gripAt, pointerOf, pulled } from "./grips";
import { drawCursor, drawGrid, drawRulers, drawSpans, drawTile } from "./marks";
import { clamp, group } from "./num";
import type { Host, Pane } from "./pane";
import { ColourRange } from "./range";
import { differs, howOf, sel } from "./state";
import { SIDE, Tiles, type Layer, type Paint, type Place } from "./tiles";

const reach = 6; // distance at which a mouse holds the edge of a box, in CSS pixels

export class ImagePane implements Pane {
  readonly el: HTMLElement;
  private canvas = h("canvas", { tabindex: 0, role: "application", "aria-label": "image; arrow keys pan, shift and arrow keys move the cursor, plus and minus zoom" });
  private empty = h("p", { class: "empty", hidden: true });
  private frame = h("div", { class: "frame", tabindex: 0, role: "application", hidden: true }); // the box, for keys
  readonly range: ColourRange;
  private tiles: Tiles;
  private scheduled = false;
  private shown = false;
  private layer = "";
  private before = ""; // the layer whose tiles are shown while the tiles of the current layer are loading
  private cells: CellText;
  private first = false;
  private next: number[] | null = null; // indices of the frame that will be shown next
  private pointed = ""; // identifies the view that contains the cursor
  private axes = { y: -1, x: -1 };
  cursor: { y: number; x: number } | null = null;
  /** pulling is true while the pointer draws or drags a box or a line. */
  pulling = false;
  private begun: { kind: "box" | "line"; at: { y: number; x: number } } | null = null; // begun with a key

  constructor(private host: Host, private ranged: () => void, private shared?: ColourRange) {
    this.range = shared ?? new ColourRange(host, () => {
      this.draw();
      this.ranged();
    });
    this.tiles = new Tiles(() => this.draw(), (err) => host.fail(err));
    this.cells = new CellText(() => this.draw(), (err) => host.fail(err));
    this.el = h("div", { class: "map" }, this.canvas, this.empty, this.frame);
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    new Gestures(this.canvas, this);
  }

  show() {
    this.shown = true;
    const { view: v, info: a } = this.host;
    const of = JSON.stringify([a?.id, a?.version, sel(v), v.y, v.x]);
    if (of !== this.pointed) {
      this.pointed = of;
      const c = this.cursor, there = c && a && v.y === this.axes.y && v.x === this.axes.x && c.y < (a.shape[v.y] ?? 1) && c.x < (a.shape[v.x] ?? 0);
      if (c) this.setCursor(there ? c : null); // keep the cursor if the new frame or array has this element
      this.axes = { y: v.y, x: v.x };
    }
    this.draw();
  }

  hide() {
    this.shown = false;
    this.tiles.stop();
    if (!this.shared) this.range.stop();
    this.cells.stop();
  }

  /** again forgets failed requests, so that they are repeated when the image is drawn. */
  again() {
    this.tiles.forget();
  }

  /** forget prevents tiles of the previous array from being shown while new ones load. */
  forget() {
    this.layer = this.before = "";
  }

  private geometry(): Geometry | null {
    const { view: v, info: a } = this.host;
    return a && geometry(v, a, this.canvas.clientWidth, this.canvas.clientHeight);
  }

  visible() {
    const { view: v } = this.host, g = this.geometry();
    if (!g) return null;
    return { y: v.y, x: v.x, region: elements(g) };
  }

  /** colours reports whether the elements themselves are colours. */
  colours(): boolean {
    return this.host.info !== null && this.currentLayer().channels >= 0;
  }

  private currentLayer(): Layer {
    const { view: v, info } = this.host, a = info!;
    return {
      id: a.id, version: a.version, sel: sel(v), y: v.y, x: v.x, how: howOf(v),
      channels: a.rgb && v.rgb && !differs(v) ? a.channels : -1,
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

  private drawNow(sheet: Sheet = fitCanvas(this.canvas), vector = false) {
    const { g, w, h: hh, dpr, dx, dy } = sheet;
    g.clearRect(0, 0, w, hh);
    const a = this.host.info, v = this.host.view, geo = this.geometry();
    this.empty.hidden = !a || geo !== null;
    if (!a || !geo) {
      if (a) this.empty.textContent = `no elements: shape (${a.shape.join(", ")}${a.shape.length === 1 ? "," : ""})`;
      this.tiles.stop();
      this.frame.hidden = true;
      this.host.note("");
      this.host.working(false);
      return;
    }
    const layer = this.currentLayer(), lk = Tiles.layerKey(layer);
    if (lk !== this.layer) {
      this.before = this.layer;
      this.layer = lk;
    }
    if (layer.channels < 0 && !this.shared) this.range.show();

    // Request the tiles on screen, from the middle outwards. If they cover most of the plane, request one tile of the
    // whole plane before them, and show it while they load.
    const places = visiblePlaces(geo), all: Place = { ly: level(geo.ny), lx: level(geo.nx), row: 0, col: 0 };
    if (!apart(v)) all.lx = all.ly = Math.max(all.lx, all.ly);
    const few = Math.max(all.lx - geo.lx, all.ly - geo.ly) <= 3;
    this.tiles.want(layer, few && this.tiles.hopeful(Tiles.key(lk, all)) ? [all] : places, this.next && { ...layer, sel: { ...layer.sel, at: this.next } });

    const overview = this.tiles.find(Tiles.key(lk, all));
    const paint: Paint = layer.channels < 0
      ? { map: mapName(v), ...this.range.norm(v.lo ?? overview?.min, v.hi ?? overview?.max), kinds: this.range.paintedKinds() ?? undefined }
      : { map: v.map, scale: "linear", gamma: 1, ...(v.range === "hand" && v.lo !== null && v.hi !== null ? { lo: v.lo, hi: v.hi } : { lo: 0, hi: brightest(a) }), top: brightest(a) };
    const { X, Y } = toScreen(geo);
    const px = (t: number) => Math.round(t * dpr + dx), py = (t: number) => Math.round(t * dpr + dy);

    g.save();
    g.setTransform(1, 0, 0, 1, 0, 0);
    g.beginPath();
    const [l, r] = [X(0), X(geo.nx)].sort((a, b) => a - b), [u, d] = [Y(0), Y(geo.ny)].sort((a, b) => a - b);
    const cl = Math.max(px(left), px(l)), ct = Math.max(py(top), py(u));
    g.rect(cl, ct, Math.min(px(w), px(r)) - cl, Math.min(py(hh), py(d)) - ct);
    g.clip();
    g.fillStyle = css("--well");
    g.fillRect(0, 0, px(w), py(hh));
    let sampled = 0, exact = 0, missing = 0, drawn = 0;
    const cells = vector ? new Cells(geo) : null;
    const put = (key: string, have: Place, want: Place) => {
      const pic = this.tiles.picture(key, paint), t = this.tiles.find(key);
      if (pic && t && cells) drawTile(cells.g, pic, t, have, want, geo, cells.X, cells.Y);
      else if (pic && t) drawTile(g, pic, t, have, want, geo, (e) => px(X(e)), (e) => py(Y(e)));
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
          put(s.key, s.p, p); // drawn before the loaded tiles, because it may extend beyond its place
          drawn++;
        }
      }
    }
    for (const p of ready) put(Tiles.key(lk, p), p, p);
    cells?.drawOn(g, geo);
    if (drawn > 0 && !this.first) {
      this.first = true;
      performance.mark("first picture"); // measured by a test
    }
    g.restore();

    const fine = geo.lx === 0 && geo.ly === 0 && Math.min(geo.zx, geo.zy) >= 8;
    if (fine) drawGrid(g, geo);
    if (geo.lx === 0 && geo.ly === 0 && geo.zx >= 40 && geo.zy >= 18 && layer.channels < 0) this.cells.draw(g, geo, lk, layer, paint, (y, x) => this.elementValue(lk, y, x));
    drawSpans(g, geo, v.box, v.across);
    this.showFrame(geo);
    if (this.cursor) drawCursor(g, geo, this.cursor);
    drawRulers(g, geo, w, hh, { y: v.y, x: v.x, text: (k, i) => this.host.texts.text(a, k, i) ?? (a.axes?.[k]?.valued ? "…" : group(i)), names: [axisName(a, v.y), axisName(a, v.x)] });

    this.canvas.dataset.geometry = JSON.stringify({ left, top, ...geo }); // for tests
    this.host.note(this.describe(geo, missing, sampled, exact));
    this.host.working(this.tiles.waiting || this.host.texts.waiting || (layer.channels < 0 && (v.lo === null || this.range.waiting)));
  }

  private describe(geo: Geometry, missing: number, sampled: number, exact: number): string {
    const colours = this.colours(), how = colours ? "mean" : howOf(this.host.view); // colours have no minimum
    const words = colours ? "" : this.range.words(), more = words && ` · ${words}`;
    if (geo.lx === 0 && geo.ly === 0) return "every element" + more;
    const of = `${how} of ${group(2 ** geo.ly)} × ${group(2 ** geo.lx)} elements per cell`;
    if (missing > 0 && sampled + exact === 0) return `${of} · ${this.tiles.waiting ? "loading" : "not available"}${more}`;
    return `${sampled ? "≈ " : ""}${of} · ${sampled ? "sampled" : "exact"}${more}`;
  }

  // standIn returns a coarser tile that covers a place, of the current layer or else of the previous one.
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

  private elementValue(lk: string, y: number, x: number): number | null {
    const p = { ly: 0, lx: 0, row: Math.floor(y / SIDE), col: Math.floor(x / SIDE) };
    const t = this.tiles.find(Tiles.key(lk, p));
    if (!t || t.channels > 1) return null;
    const v = t.data[(y - p.row * SIDE) * t.w + x - p.col * SIDE];
    return Number.isNaN(v) ? null : (v ?? null);
  }

  /** zoom scales the map by f. The element at (px, py) in the canvas keeps its position. */
  zoom(f: number, px = left + (this.canvas.clientWidth - left) / 2, py = top + (this.canvas.clientHeight - top) / 2) {
    const g = this.geometry();
    if (!g) return;
    const least = (n: number, room: number) => Math.min(room / n / 2, 1);
    const least1 = Math.min(least(g.nx, g.w), least(g.ny, g.h));
    const zx = clamp(g.zx * f, this.host.view.stretch ? least(g.nx, g.w) : least1, maxZoom);
    const v = this.host.view, zy = v.stretch ? clamp(g.zy * f, least(g.ny, g.h), maxZoom) : zx * v.aspect;
    const at = toElements(g, px, py), then = toElements({ ...g, zx, zy }, px, py);
    this.place(g, zx, zy, g.x0 + at.x - then.x, g.y0 + at.y - then.y);
  }

  /** pan moves the map by CSS pixels. */
  pan(dx: number, dy: number) {
    const g = this.geometry();
    if (g) this.place(g, g.zx, g.zy, g.x0 + ((g.flipX ? -1 : 1) * dx) / g.zx, g.y0 + ((g.flipY ? -1 : 1) * dy) / g.zy);
  }

  private place(g: Geometry, zx: number, zy: number, x0: number, y0: number) {
    this.host.change({ zx, zy, cx: clamp(x0 + g.w / 2 / zx, 0, g.nx), cy: clamp(y0 + g.h / 2 / zy, 0, g.ny) });
  }

  /** fit shows the whole plane. */
  fit() {
    this.host.change({ zx: 0, zy: 0, cx: 0, cy: 0 });
  }

  private one() {
    const g = this.geometry();
    if (!g) return;
    this.place(g, 1, 1, g.x0 + g.w / 2 / g.zx - g.w / 2, g.y0 + g.h / 2 / g.zy - g.h / 2);
  }

  /** point moves the cursor to the element at the pointer. */
  point(e: PointerEvent | null) {
    const g = this.geometry();
    let c: { y: number; x: number } | null = null;
    if (e && g && e.offsetX >= left && e.offsetY >= top) {
      const at = toElements(g, e.offsetX, e.offsetY), x = Math.floor(at.x), y = Math.floor(at.y);
      if (x >= 0 && x < g.nx && y >= 0 && y < g.ny) c = { y, x };
    }
    this.setCursor(c);
    const { box } = this.host.view, grip = e && g && box && !this.frame.hidden && gripAt(g, box, e.offsetX, e.offsetY, reach);
    this.canvas.style.cursor = grip ? pointerOf(grip, g) : "";
  }

  /** span begins a box or a line at a position in the canvas. */
  span(kind: "box" | "line", from: Position): Pull | null {
    const start = this.geometry();
    if (!start || this.host.view.y < 0) return null;
    const a = elementAt(start, from.x, from.y);
    return (to) => {
      const g = this.geometry();
      if (!g) return;
      const b = elementAt(g, to.x, to.y);
      this.pulling = true;
      this.host.change(kind === "box" ? { box: boxOf(a, b) } : { across: [a.y, a.x, b.y, b.x] });
    };
  }

  /** grip begins to drag the box by its grip at a position in the canvas, if it has one there. */
  grip(from: Position, fine: boolean): Pull | null {
    const g = this.geometry(), { box } = this.host.view;
    const grip = g && box && !this.frame.hidden && gripAt(g, box, from.x, from.y, fine ? reach : 3 * reach);
    if (!grip) return null;
    this.frame.focus({ preventScroll: true });
    const a = toElements(g, from.x, from.y);
    return (to) => {
      const b = toElements(g, to.x, to.y);
      this.pulling = true;
      this.host.change({ box: pulled(box, grip, b.y - a.y, b.x - a.x, g.ny, g.nx) });
    };
  }

  released() {
    if (!this.pulling) return;
    this.pulling = false;
    this.host.change({}); // the controls may have waited to change the layout of the page
  }

  // showFrame places the element that has the focus while keys move the box.
  private showFrame(g: Geometry) {
    const { box, y } = this.host.view, { X, Y } = toScreen(g);
    this.frame.hidden = !box || y < 0 || this.shared !== undefined || this.colours();
    if (!box || this.frame.hidden) return;
    const [l, r] = [X(box[1]), X(box[3])].sort((a, b) => a - b).map((t) => clamp(t, left, left + g.w));
    const [t, b] = [Y(box[0]), Y(box[2])].sort((a, b) => a - b).map((t) => clamp(t, top, top + g.h));
    Object.assign(this.frame.style, { left: `${l}px`, top: `${t}px`, width: `${r - l}px`, height: `${b - t}px` });
    this.frame.setAttribute("aria-label", `box of rows ${box[0]} to ${box[2] - 1} and columns ${box[1]} to ${box[3] - 1}; arrow keys move it, shift and arrow keys resize it, escape removes it`);
  }

  /** escape cancels a box or a line that was begun with a key, or else removes the box, or else the line. */
  escape() {
    const { box, across } = this.host.view;
    if (document.activeElement === this.frame) this.focus();
    if (this.begun) {
      this.begun = null;
      this.draw();
    } else if (box) this.host.change({ box: null });
    else if (across) this.host.change({ across: null });
  }

  /** corner begins a box or a line at the cursor, or completes it there. */
  corner(kind: "box" | "line") {
    const c = this.cursor, began = this.begun;
    if (!c || this.host.view.y < 0) return;
    if (began?.kind === kind) this.host.change(kind === "box" ? { box: boxOf(began.at, c) } : { across: [began.at.y, began.at.x, c.y, c.x] });
    this.begun = began?.kind === kind ? null : { kind, at: c };
    if (this.begun) this.host.note(`a ${kind} begins at [${c.y}, ${c.x}]: move the cursor, and press the key again`);
  }

  /** ahead also requests the tiles of the frame that will be shown next. */
  ahead(at: number[] | null) {
    this.next = at;
    if (at && this.shown) this.draw();
  }

  /** follow moves the cursor to the element at the cursor of another image. */
  follow(c: { y: number; x: number } | null) {
    this.cursor = c;
    if (this.shown) this.draw();
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
    const step = (n: number) => Math.max(1, n); // a pixel when zoomed out, an element when zoomed in
    const dir: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const d = dir[e.key], { box } = this.host.view;
    if (d && box && e.target === this.frame) {
      const dx = (g.flipX ? -1 : 1) * d[0] * step(2 ** g.lx), dy = (g.flipY ? -1 : 1) * d[1] * step(2 ** g.ly);
      const edge = { y: d[1] && (g.flipY ? -1 : 1), x: d[0] && (g.flipX ? -1 : 1) }; // the right or the lower edge
      this.host.change({ box: pulled(box, e.shiftKey ? edge : { y: 0, x: 0 }, dy, dx, g.ny, g.nx) });
      return true;
    }
    if (d && e.shiftKey) {
      const r = elements(g);
      const c = this.cursor ?? { y: Math.floor((r.y0 + r.y1) / 2), x: Math.floor((r.x0 + r.x1) / 2) };
      const fx = g.flipX ? -1 : 1, fy = g.flipY ? -1 : 1;
      const x = clamp(c.x + fx * d[0] * step(2 ** g.lx), 0, g.nx - 1), y = clamp(c.y + fy * d[1] * step(2 ** g.ly), 0, g.ny - 1);
      const dx = x < r.x0 ? x - r.x0 : x >= r.x1 ? x - r.x1 + 1 : 0, dy = y < r.y0 ? y - r.y0 : y >= r.y1 ? y - r.y1 + 1 : 0;
      if (dx || dy) this.pan(fx * dx * g.zx, fy * dy * g.zy);
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

  /** size returns the size of the map with its rulers in CSS pixels. */
  size(): { width: number; height: number } {
    return { width: this.canvas.clientWidth, height: this.canvas.clientHeight };
  }

  /** drawOn draws the map with its rulers on g, in CSS pixels. The cells are one image. */
  drawOn(g: CanvasRenderingContext2D) {
    const { cursor } = this, { width, height } = this.size();
    this.cursor = null;
    this.drawNow({ g, w: width, h: height, dpr: 1, dx: 0, dy: 0 }, true);
    this.cursor = cursor;
    this.drawNow();
  }

  /** print draws the map with its rulers at a higher resolution while then runs. */
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

