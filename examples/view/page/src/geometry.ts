// The positions of elements in the window.

import type { Info } from "./api";
import { clamp } from "./num";
import type { Region } from "./pane";
import type { Span, View } from "./state";
import { SIDE, type Place } from "./tiles";

export const left = 56, top = 24; // size of the rulers, in CSS pixels
export const margin = 16; // around an image that fits the window, in CSS pixels
export const maxZoom = 320; // CSS pixels per element

/** Geometry describes the positions of elements in the window. */
export interface Geometry {
  ny: number;
  nx: number;
  w: number; // size of the map in CSS pixels
  h: number;
  zx: number; // CSS pixels per element
  zy: number;
  x0: number; // position of the left and upper edge of the map, in elements
  y0: number;
  flipX: boolean; // columns run from right to left: x0 is at the right edge
  flipY: boolean; // rows run from bottom to top: y0 is at the lower edge
  lx: number; // levels of the tiles
  ly: number;
}

/** geometry returns the geometry of a canvas, or null if there are no elements. */
export function geometry(v: View, a: Info, width: number, height: number): Geometry | null {
  if (v.x < 0) return null;
  const w = Math.max(1, width - left), hh = Math.max(1, height - top);
  const nx = a.shape[v.x], ny = v.y < 0 ? 1 : a.shape[v.y];
  if (!nx || !ny) return null;
  let { zx, zy, cx, cy } = v;
  if (!(zx > 0)) {
    zx = Math.min((w - margin) / nx, maxZoom);
    zy = Math.min((hh - margin) / ny, maxZoom);
    if (!v.stretch) zx = Math.min(zx, zy / v.aspect);
    cx = nx / 2;
    cy = ny / 2;
  }
  if (!v.stretch) zy = zx * v.aspect;
  else if (!(zy > 0)) zy = zx;
  const dpr = Math.min(window.devicePixelRatio || 1, 3);
  // A cell of a tile is never smaller than a pixel, so that cells are neither lost nor mixed.
  const l = (z: number, n: number) => clamp(Math.ceil(-Math.log2(z * dpr) - 1e-9), 0, Math.ceil(Math.log2(n)));
  const free = apart(v), lx = l(zx, free ? nx : Math.max(nx, ny)), ly = l(zy, free ? ny : Math.max(nx, ny));
  return { ny, nx, w, h: hh, zx, zy, x0: cx - w / 2 / zx, y0: cy - hh / 2 / zy, flipX: v.flipX, flipY: v.flipY, lx, ly };
}

/** apart reports whether rows and columns may be zoomed by different factors. */
export function apart(v: View): boolean {
  return v.stretch || v.aspect !== 1;
}

/** toScreen returns functions that convert elements to positions in the canvas. */
export function toScreen(g: Geometry): { X: (e: number) => number; Y: (e: number) => number } {
  return {
    X: (e) => (g.flipX ? left + g.w - (e - g.x0) * g.zx : left + (e - g.x0) * g.zx),
    Y: (e) => (g.flipY ? top + g.h - (e - g.y0) * g.zy : top + (e - g.y0) * g.zy),
  };
}

/** toElements converts a position in the canvas to elements, with fractions. */
export function toElements(g: Geometry, px: number, py: number): { x: number; y: number } {
  return { x: g.x0 + (g.flipX ? left + g.w - px : px - left) / g.zx, y: g.y0 + (g.flipY ? top + g.h - py : py - top) / g.zy };
}

/** elementAt returns the element nearest to a position in the canvas. */
export function elementAt(g: Geometry, px: number, py: number): { y: number; x: number } {
  const { x, y } = toElements(g, px, py);
  return { y: clamp(Math.floor(y), 0, g.ny - 1), x: clamp(Math.floor(x), 0, g.nx - 1) };
}

/** boxOf returns the box that has two elements in opposite corners. */
export function boxOf(a: { y: number; x: number }, b: { y: number; x: number }): Span {
  return [Math.min(a.y, b.y), Math.min(a.x, b.x), Math.max(a.y, b.y) + 1, Math.max(a.x, b.x) + 1];
}

/** brightest returns the maximum value of a channel of colours. */
export function brightest(a: Info): number {
  return a.kind === "float" ? 1 : 256 ** a.itemsize - 1;
}

/** level returns the lowest level at which one tile covers n elements. */
export function level(n: number): number {
  let l = 0;
  while (n > SIDE * 2 ** l) l++;
  return l;
}

/** elements returns the elements that are at least partly on screen. */
export function elements(g: Geometry): Region {
  const end = (x: number, n: number) => clamp(Math.ceil(x - 1e-9), 0, n);
  const start = (x: number, n: number) => clamp(Math.floor(x + 1e-9), 0, n);
  return { x0: start(g.x0, g.nx), x1: end(g.x0 + g.w / g.zx, g.nx), y0: start(g.y0, g.ny), y1: end(g.y0 + g.h / g.zy, g.ny) };
}

/** visiblePlaces returns the places of the tiles on screen, from the middle outwards. */
export function visiblePlaces(g: Geometry): Place[] {
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
