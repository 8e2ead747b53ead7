// The visible cells of an image, with one pixel per cell, for pictures that scale.

import { h } from "./dom";
import { elements, toScreen, type Geometry } from "./geometry";

export class Cells {
  readonly canvas = h("canvas", {});
  readonly g: CanvasRenderingContext2D;
  private y: number; // first row and column of cells
  private x: number;

  constructor(private geo: Geometry) {
    const r = elements(geo), sy = 2 ** geo.ly, sx = 2 ** geo.lx;
    this.y = Math.floor(r.y0 / sy);
    this.x = Math.floor(r.x0 / sx);
    this.canvas.width = Math.max(1, Math.ceil(r.x1 / sx) - this.x);
    this.canvas.height = Math.max(1, Math.ceil(r.y1 / sy) - this.y);
    this.g = this.canvas.getContext("2d")!;
  }

  /** X and Y convert elements to positions in the canvas. */
  X = (e: number) => e / 2 ** this.geo.lx - this.x;
  Y = (e: number) => e / 2 ** this.geo.ly - this.y;

  /** drawOn draws the cells at their place in the map. */
  drawOn(g: CanvasRenderingContext2D, geo: Geometry) {
    const { X, Y } = toScreen(geo), sx = 2 ** geo.lx, sy = 2 ** geo.ly;
    const x0 = X(this.x * sx), y0 = Y(this.y * sy), w = X((this.x + this.canvas.width) * sx) - x0, hh = Y((this.y + this.canvas.height) * sy) - y0;
    g.setTransform(w < 0 ? -1 : 1, 0, 0, hh < 0 ? -1 : 1, x0, y0);
    g.drawImage(this.canvas, 0, 0, Math.abs(w), Math.abs(hh));
    g.setTransform(1, 0, 0, 1, 0, 0);
  }
}
