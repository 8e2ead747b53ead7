// A canvas context that writes SVG.

import { h } from "./dom";

interface State {
  fillStyle: string;
  strokeStyle: string;
  lineWidth: number;
  lineJoin: string;
  font: string;
  textAlign: string;
  textBaseline: string;
  globalAlpha: number;
  matrix: [sx: number, sy: number, dx: number, dy: number]; // x → sx x + dx, y → sy y + dy
  groups: number; // number of open groups
}

/**
 * Pen has the methods of CanvasRenderingContext2D that this page draws with, and writes the drawing as SVG. Text stays
 * text, paths stay paths, and images are embedded pixel by pixel.
 */
export class Pen {
  fillStyle = "#000000";
  strokeStyle = "#000000";
  lineWidth = 1;
  lineJoin = "miter";
  font = "10px sans-serif";
  textAlign = "left";
  textBaseline = "alphabetic";
  globalAlpha = 1;
  imageSmoothingEnabled = false;
  private matrix: State["matrix"] = [1, 1, 0, 0];
  private groups = 0;
  private saved: State[] = [];
  private path = "";
  private parts: string[] = [];
  private clips = 0;
  private probe = h("canvas").getContext("2d")!; // measures texts and parses colours

  /** origin is added to all positions, also to those after setTransform. */
  origin = { x: 0, y: 0 };

  /** context returns the pen as a context to draw with. Methods that this page does not use are missing. */
  get context(): CanvasRenderingContext2D {
    return this as unknown as CanvasRenderingContext2D;
  }

  /** svg returns the drawing as a file of w × hh CSS pixels. */
  svg(w: number, hh: number): string {
    return `<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${hh}" viewBox="0 0 ${w} ${hh}">\n${this.parts.join("\n")}\n</svg>\n`;
  }

  save() {
    const { fillStyle, strokeStyle, lineWidth, lineJoin, font, textAlign, textBaseline, globalAlpha, matrix, groups } = this;
    this.saved.push({ fillStyle, strokeStyle, lineWidth, lineJoin, font, textAlign, textBaseline, globalAlpha, matrix, groups });
  }

  restore() {
    const s = this.saved.pop();
    if (!s) return;
    for (let k = s.groups; k < this.groups; k++) this.parts.push("</g>");
    Object.assign(this, s);
  }

  setTransform(sx: number, _b: number, _c: number, sy: number, dx: number, dy: number) {
    this.matrix = [sx, sy, dx, dy];
  }

  clearRect() {}

  beginPath() {
    this.path = "";
  }

  moveTo(x: number, y: number) {
    this.path += `M${this.x(x)} ${this.y(y)}`;
  }

  lineTo(x: number, y: number) {
    this.path += `${this.path ? "L" : "M"}${this.x(x)} ${this.y(y)}`;
  }

  closePath() {
    this.path += "Z";
  }

  rect(x: number, y: number, w: number, hh: number) {
    this.path += `M${this.x(x)} ${this.y(y)}H${this.x(x + w)}V${this.y(y + hh)}H${this.x(x)}Z`;
  }

  /** arc adds a circle. The page draws no other arcs. */
  arc(x: number, y: number, r: number) {
    this.path += `M${this.x(x + r)} ${this.y(y)}A${r} ${r} 0 1 1 ${this.x(x - r)} ${this.y(y)}A${r} ${r} 0 1 1 ${this.x(x + r)} ${this.y(y)}Z`;
  }

  clip() {
    const id = `clip${++this.clips}`;
    this.parts.push(`<clipPath id="${id}"><path d="${this.path}"/></clipPath>`, `<g clip-path="url(#${id})">`);
    this.groups++;
  }

  fill() {
    if (this.path) this.parts.push(`<path d="${this.path}"${this.colour("fill", this.fillStyle)}/>`);
  }

  stroke() {
    if (this.path) this.parts.push(`<path d="${this.path}" fill="none"${this.colour("stroke", this.strokeStyle)} stroke-width="${this.lineWidth}" stroke-linejoin="${this.lineJoin}"/>`);
  }

  fillRect(x: number, y: number, w: number, hh: number) {
    this.shape(x, y, w, hh, () => this.fill());
  }

  strokeRect(x: number, y: number, w: number, hh: number) {
    this.shape(x, y, w, hh, () => this.stroke());
  }

  private shape(x: number, y: number, w: number, hh: number, draw: () => void) {
    const { path } = this;
    this.path = "";
    this.rect(x, y, w, hh);
    draw();
    this.path = path;
  }

  measureText(text: string): TextMetrics {
    this.probe.font = this.font;
    return this.probe.measureText(text);
  }

  fillText(text: string, x: number, y: number, most = Infinity) {
    const size = Number(/([\d.]+)px/.exec(this.font)?.[1] ?? 10), anchor = { center: "middle", right: "end" }[this.textAlign] ?? "start";
    const down = { middle: 0.35, top: 0.8, bottom: -0.2 }[this.textBaseline] ?? 0; // programs disagree about SVG's baselines
    const fitted = this.measureText(text).width > most ? ` textLength="${most}" lengthAdjust="spacingAndGlyphs"` : "";
    this.parts.push(`<text x="${this.x(x)}" y="${this.y(y + down * size)}" text-anchor="${anchor}" style="font:${escape(this.font)}"${this.colour("fill", this.fillStyle)}${fitted}>${escape(text)}</text>`);
  }

  /** drawImage embeds a whole canvas. */
  drawImage(image: HTMLCanvasElement, x: number, y: number, w: number, hh: number) {
    const [sx, sy, dx, dy] = this.matrix, { origin } = this;
    this.parts.push(`<image width="${w}" height="${hh}" x="${x}" y="${y}" transform="matrix(${sx} 0 0 ${sy} ${dx + origin.x} ${dy + origin.y})" preserveAspectRatio="none" image-rendering="optimizeSpeed" style="image-rendering:pixelated" href="${image.toDataURL("image/png")}"/>`);
  }

  private x(x: number): number {
    return tidy(this.matrix[0] * x + this.matrix[2] + this.origin.x);
  }

  private y(y: number): number {
    return tidy(this.matrix[1] * y + this.matrix[3] + this.origin.y);
  }

  // colour returns attributes for a colour and its opacity.
  private colour(what: string, colour: string): string {
    this.probe.fillStyle = colour; // the browser normalizes colours to #rrggbb or rgba(r, g, b, a)
    const [, rgb, alpha] = /^rgba\((.*), ([\d.]+)\)$/.exec(String(this.probe.fillStyle)) ?? [null, "", "1"];
    const opacity = Number(alpha) * this.globalAlpha;
    return ` ${what}="${rgb ? `rgb(${rgb})` : this.probe.fillStyle}"${opacity < 1 ? ` ${what}-opacity="${tidy(opacity)}"` : ""}`;
  }
}

function tidy(x: number): number {
  return Math.round(x * 1000) / 1000;
}

function escape(text: string): string {
  // XML allows no control characters.
  return text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, "\ufffd").replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
}
