// The parts of an image besides its elements: tiles, grid, cursor, spans and rulers.

import type { Tile } from "./api";
import { css } from "./dom";
import { elements, left, toScreen, top, type Geometry } from "./geometry";
import { shorten } from "./celltext";
import { clamp, indices } from "./num";
import type { Span } from "./state";
import { SIDE, type Place } from "./tiles";

/** drawTile draws the part of the tile at the place have that lies in the tile at the place want. */
export function drawTile(g: CanvasRenderingContext2D, pic: HTMLCanvasElement, t: Tile, have: Place, want: Place, geo: Geometry,
  X: (e: number) => number, Y: (e: number) => number) {
  const side = (h: number, wl: number, wi: number, hl: number, o: number, span: number, n: number): [number, number, number, number] => {
    const step = 2 ** hl, start = h * SIDE * step; // start of the tile have
    const a = Math.max(wi * SIDE * 2 ** wl, o), b = Math.min((wi + 1) * SIDE * 2 ** wl, o + span); // the visible part of the tile want
    const s0 = clamp(Math.floor((a - start) / step), 0, n), s1 = clamp(Math.ceil((b - start) / step), 0, n);
    return [s0, s1, start + s0 * step, start + s1 * step];
  };
  const [sx0, sx1, ex0, ex1] = side(have.col, want.lx, want.col, have.lx, geo.x0, geo.w / geo.zx, t.w);
  const [sy0, sy1, ey0, ey1] = side(have.row, want.ly, want.row, have.ly, geo.y0, geo.h / geo.zy, t.h);
  if (sx1 <= sx0 || sy1 <= sy0) return;
  const dx = X(ex0), dy = Y(ey0), dw = X(ex1) - dx, dh = Y(ey1) - dy;
  if (!dw || !dh) return;
  g.imageSmoothingEnabled = false; // colours must not be mixed
  g.setTransform(dw < 0 ? -1 : 1, 0, 0, dh < 0 ? -1 : 1, dx, dy);
  g.drawImage(pic, sx0, sy0, sx1 - sx0, sy1 - sy0, 0, 0, Math.abs(dw), Math.abs(dh));
}

/** drawGrid draws lines between the elements. */
export function drawGrid(g: CanvasRenderingContext2D, geo: Geometry) {
  const { X, Y } = toScreen(geo);
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

/** drawCursor draws a frame around an element. */
export function drawCursor(g: CanvasRenderingContext2D, geo: Geometry, { y, x }: { y: number; x: number }) {
  const { X, Y } = toScreen(geo);
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

/** drawSpans draws the edge of a box, and a line between the centres of two elements. */
export function drawSpans(g: CanvasRenderingContext2D, geo: Geometry, box: Span | null, across: Span | null) {
  const { X, Y } = toScreen(geo);
  g.save();
  g.beginPath();
  g.rect(left, top, geo.w, geo.h);
  g.clip();
  g.beginPath();
  if (box) g.rect(X(box[1]), Y(box[0]), X(box[3]) - X(box[1]), Y(box[2]) - Y(box[0]));
  if (across) {
    g.moveTo(X(across[1] + 0.5), Y(across[0] + 0.5));
    g.lineTo(X(across[3] + 0.5), Y(across[2] + 0.5));
  }
  for (const [colour, width] of [["rgba(0,0,0,.65)", 4], ["#fff", 2]] as const) {
    g.strokeStyle = colour;
    g.lineWidth = width;
    g.stroke();
  }
  g.restore();
}

/** Ruled describes the rulers: the axes, the texts of indices, and the names of the axes. */
export interface Ruled {
  y: number;
  x: number;
  text: (axis: number, i: number) => string;
  names: [y: string, x: string];
}

/** drawRulers draws the rulers along the edges of the map, and the names of the axes. */
export function drawRulers(g: CanvasRenderingContext2D, geo: Geometry, w: number, hh: number, of: Ruled) {
  const { X, Y } = toScreen(geo);
  g.fillStyle = css("--paper");
  g.fillRect(0, 0, w, top);
  g.fillRect(0, 0, left, hh);
  g.font = `11px ${css("--digits")}`;
  g.fillStyle = g.strokeStyle = css("--muted");
  g.lineWidth = 1;
  g.textBaseline = "middle";
  const r = elements(geo);
  const edgeX = Math.max(left, Math.round(Math.min(X(0), X(geo.nx)))), edgeY = Math.max(top, Math.round(Math.min(Y(0), Y(geo.ny))));
  const along = (lo: number, hi: number, span: number, room: number) =>
    indices(lo, Math.max(lo, hi - 1), Math.max(1, span / room));
  const [yName, xName] = of.names, room = xName && g.measureText(xName).width + 8;
  g.textAlign = "center";
  for (const t of along(r.x0, r.x1, (r.x1 - r.x0) * geo.zx, 24 + 7 * Math.max(String(r.x1).length, of.text(of.x, r.x0).length, of.text(of.x, Math.max(r.x0, r.x1 - 1)).length))) {
    const x = X(t + 0.5);
    const text = of.text(of.x, t);
    if (x < left + 8 || x > w - 8 || (room && x + g.measureText(text).width / 2 > w - 14 - room)) continue;
    g.fillText(text, x, edgeY - top / 2 - 1);
    g.fillRect(Math.round(x), edgeY - 5, 1, 4);
  }
  g.textAlign = "right";
  if (of.y >= 0) {
    for (const t of along(r.y0, r.y1, (r.y1 - r.y0) * geo.zy, 36)) {
      const y = Y(t + 0.5);
      if (y < top + 4 || y > hh - 6) continue;
      g.fillText(shorten(g, of.text(of.y, t), edgeX - 12), edgeX - 9, y);
      g.fillRect(edgeX - 5, Math.round(y), 4, 1);
    }
  }
  // Draw the names over the ends of the rulers.
  g.font = `600 11px ${css("--text")}`;
  const name = (text: string, x: number, y: number) => {
    const width = g.measureText(text).width;
    g.fillStyle = css("--paper");
    g.fillRect(x - 3, y - 8, width + 6, 16);
    g.fillStyle = css("--muted");
    g.fillText(text, x, y);
  };
  g.textAlign = "left";
  if (xName) name(xName, w - 8 - g.measureText(xName).width, Math.max(9, edgeY - top / 2 - 1));
  if (yName && of.y >= 0) name(shorten(g, yName, edgeX - 8), Math.max(2, edgeX - 9 - g.measureText(shorten(g, yName, edgeX - 8)).width), Math.max(top + 8, Math.min(hh - 8, Math.max(Y(0), Y(geo.ny)) - 8)));
}
