// The elements as text in their cells, if the cells are large enough.

import { aborted, arrayPath, getJSON, query, type Rows } from "./api";
import { css } from "./dom";
import { bad, kindColours, lut, positions } from "./colors";
import { elements, left, toScreen, top, type Geometry } from "./geometry";
import { clamp } from "./num";
import type { Layer, Paint } from "./tiles";

export class CellText {
  private cells: { key: string; y: number; x: number; text: string[][] } | null = null;
  private ctl: AbortController | null = null;
  private key = "";

  constructor(private arrived: () => void, private fail: (err: unknown) => void) {}

  stop() {
    this.ctl?.abort();
    this.key = "";
  }

  /** draw draws the elements of the layer with key lk as soon as the server has sent their text. */
  draw(g: CanvasRenderingContext2D, geo: Geometry, lk: string, layer: Layer, paint: Paint, value: (y: number, x: number) => number | null) {
    const r = elements(geo);
    const key = `${lk} ${r.y0} ${r.y1} ${r.x0} ${r.x1}`;
    if (this.key !== key) {
      this.key = key;
      this.ctl?.abort();
      const ctl = (this.ctl = new AbortController());
      const one = layer.y < 0;
      const s = { ...layer.sel };
      const path = arrayPath(layer.id, "rows") + query(s, one
        ? { axis: layer.x, from: r.x0, count: r.x1 - r.x0 }
        : { axis: layer.y, from: r.y0, count: r.y1 - r.y0, cols: layer.x, colfrom: r.x0, colcount: r.x1 - r.x0 });
      getJSON<Rows>(path, ctl.signal).then((rows) => {
        if (this.key !== key) return;
        this.cells = { key: lk, y: r.y0, x: r.x0, text: one ? [rows.rows.map((t) => t[0])] : rows.rows };
        this.arrived();
      }, (err) => {
        if (!aborted(err)) this.fail(err);
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
    const { X, Y } = toScreen(geo), table = lut(paint.map), position = positions(paint), own = paint.kinds && kindColours(paint.kinds);
    for (let y = r.y0; y < r.y1; y++) {
      for (let x = r.x0; x < r.x1; x++) {
        const text = c.text[y - c.y]?.[x - c.x];
        if (text === undefined) continue;
        const number = value(y, x);
        const k = number === null ? -1 : paint.kinds ? paint.kinds.indexOf(number) : position(number) * 3;
        const rgb = k < 0 ? bad(paint.map) : own ? own[k] : [table[k], table[k + 1], table[k + 2]];
        g.fillStyle = ink(rgb);
        g.fillText(shorten(g, text, geo.zx - 6), X(x + 0.5), Y(y + 0.5) + 0.5);
      }
    }
    g.restore();
  }
}

/** ink returns black or white, whichever has the greater contrast to a colour. The contrast is at least 4.5 (WCAG). */
function ink(rgb: ArrayLike<number>): string {
  const part = (k: number) => (rgb[k] <= 10.3 ? rgb[k] / 3294.6 : ((rgb[k] / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * part(0) + 0.7152 * part(1) + 0.0722 * part(2) > 0.179 ? "#000" : "#fff";
}

/** shorten cuts off the end of a text that is wider than w pixels. */
export function shorten(g: CanvasRenderingContext2D, text: string, w: number): string {
  if (text.length > 64) text = text.slice(0, 64);
  if (g.measureText(text).width <= w) return text;
  while (text.length > 1 && g.measureText(text + "…").width > w) text = text.slice(0, -1);
  return text + "…";
}
