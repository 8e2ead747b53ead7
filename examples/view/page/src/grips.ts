// The grips of a box: its edges, its corners and its inside, which a pointer can drag.

import { elements, toScreen, type Geometry } from "./geometry";
import { clamp } from "./num";
import type { Span } from "./state";

/**
 * Grip is the part of a box that a pointer holds. For each axis, -1 is the edge with the lower index, 1 the other edge,
 * and 0 neither. If both are 0, the grip is the inside.
 */
export interface Grip {
  y: number;
  x: number;
}

/**
 * gripAt returns the grip of a box at a position in the canvas, or null. Edges can be held within reach CSS pixels. The
 * inside of a box that covers the window is not a grip, so that dragging pans the image.
 */
export function gripAt(g: Geometry, [y0, x0, y1, x1]: Span, px: number, py: number, reach: number): Grip | null {
  const { X, Y } = toScreen(g);
  const side = (t: number, low: number, high: number): number | null => {
    if (low > high) [t, low, high] = [-t, -low, -high]; // a flipped axis
    const inner = Math.min(reach, (high - low) / 4); // a small box keeps an inside
    if (t < low - reach || t > high + reach) return null;
    return t < low + inner ? -1 : t > high - inner ? 1 : 0;
  };
  const y = side(py, Y(y0), Y(y1)), x = side(px, X(x0), X(x1));
  if (y === null || x === null) return null;
  const seen = elements(g);
  if (y === 0 && x === 0 && y0 <= seen.y0 && y1 >= seen.y1 && x0 <= seen.x0 && x1 >= seen.x1) return null;
  return { y, x };
}

/** pulled returns a box after its grip has been moved by dy rows and dx columns of an image of ny rows and nx columns. */
export function pulled([y0, x0, y1, x1]: Span, grip: Grip, dy: number, dx: number, ny: number, nx: number): Span {
  const inside = grip.y === 0 && grip.x === 0;
  const side = (low: number, high: number, edge: number, by: number, n: number): [number, number] => {
    by = Math.round(by);
    if (inside) {
      by = clamp(by, -low, n - high);
      return [low + by, high + by];
    }
    if (edge === 0) return [low, high];
    const moved = clamp((edge < 0 ? low : high) + by, 0, n), fixed = edge < 0 ? high : low;
    if (moved === fixed) return edge < 0 ? [fixed - 1, fixed] : [fixed, fixed + 1]; // a box has at least one element
    return [Math.min(moved, fixed), Math.max(moved, fixed)];
  };
  const [a, b] = side(y0, y1, grip.y, dy, ny), [c, d] = side(x0, x1, grip.x, dx, nx);
  return [a, c, b, d];
}

/** pointerOf returns the CSS cursor for a grip. */
export function pointerOf(grip: Grip, g: Geometry): string {
  const { y, x } = grip;
  if (y === 0 && x === 0) return "move";
  if (y === 0) return "ew-resize";
  if (x === 0) return "ns-resize";
  return (y === x) === (g.flipX === g.flipY) ? "nwse-resize" : "nesw-resize";
}
