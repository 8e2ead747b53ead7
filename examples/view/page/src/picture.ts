// The view as a figure with title, axes, colour bar and legend, to be saved.

import { css, h } from "./dom";
import type { App } from "./main";
import { Pen } from "./pen";
import type { View } from "./state";

const head = 34, foot = 26, row = 18, side = 88; // heights of title, notes and a row of the legend; width of the colour bar

interface Size {
  width: number;
  height: number;
}

// Figure is a figure whose middle is drawn by a function on a context in CSS pixels.
class Figure {
  readonly bar: boolean; // whether the figure has a colour bar
  private v: View;
  private keys: [colour: string, text: string][];

  constructor(private app: App) {
    this.v = app.view;
    this.bar = this.v.mode === "image" && !app.controls.colours.bar.canvas.hidden;
    this.keys = this.v.mode === "lines" ? app.lines.keys() : [];
  }

  /** size returns the size of the figure around a middle. */
  size(middle: Size): Size {
    return { width: middle.width + (this.bar ? side : 0), height: head + middle.height + row * this.rows(middle.width).length + foot };
  }

  // rows divides the legend into rows of a width.
  private rows(width: number): [colour: string, text: string][][] {
    const each = Math.max(1, Math.floor((width - 28) / (40 + 8 * Math.max(0, ...this.keys.map(([, t]) => t.length)))));
    return Array.from({ length: Math.ceil(this.keys.length / each) }, (_, k) => this.keys.slice(k * each, (k + 1) * each));
  }

  /** drawBack draws the background. */
  drawBack(g: CanvasRenderingContext2D, { width, height }: Size) {
    g.fillStyle = css("--paper");
    g.fillRect(0, 0, width, height);
  }

  /** drawRest draws title, legend and notes around a middle. */
  drawRest(g: CanvasRenderingContext2D, middle: Size) {
    const { v, app } = this, { width, height } = this.size(middle);
    const shown = v.mode === "image" ? [v.y, v.x, ...(app.rgb() ? [app.info!.channels] : [])] : [v.lx, v.over], { unit } = app.info!;
    g.textAlign = "left";
    g.textBaseline = "middle";
    g.fillStyle = css("--ink");
    g.font = `600 14px ${css("--text")}`;
    g.fillText(`${app.head.title.textContent}  [${v.at.map((i, k) => (shown.includes(k) ? ":" : (v.project.find((p) => p.axis === k)?.op ?? i))).join(", ")}]${unit && ` · ${unit}`}`, 14, head / 2, width - 28);
    g.font = `11px ${css("--text")}`;
    this.rows(middle.width).forEach((keys, k) => {
      const y = head + middle.height + row * (k + 0.5), step = (middle.width - 28) / keys.length;
      keys.forEach(([colour, text], i) => {
        g.fillStyle = colour;
        g.fillRect(14 + i * step, y - 1.5, 14, 3);
        g.fillStyle = css("--ink");
        g.fillText(text, 34 + i * step, y);
      });
    });
    g.fillStyle = css("--muted");
    g.fillText(this.notes(), 14, height - foot / 2, width - 28);
  }

  private notes(): string {
    const { app } = this, text = (name: string) => app.lines.el.querySelector(name)?.textContent;
    const shares = this.bar && app.image.range.shares().map((s) => `${s.text} ${s.what}`).join(", ");
    return (this.v.mode === "image" ? [app.foot.note, shares] : [text(".offset"), text(".below"), app.foot.note]).filter(Boolean).join(" · ");
  }
}

/** picture draws the view on out, or on a new canvas, at finer times the resolution of the screen. It returns null if there is no picture. */
export function picture(app: App, finer = 2, out = h("canvas", {})): HTMLCanvasElement | null {
  const figure = new Figure(app), dpr = Math.min(window.devicePixelRatio || 1, 3) * finer;
  const compose = (middle: HTMLCanvasElement, inner: Size) => {
    const all = figure.size(inner), even = (x: number) => 2 * Math.ceil(x / 2); // videos need even sizes
    if (out.width !== even(all.width * dpr) || out.height !== even(all.height * dpr)) {
      out.width = even(all.width * dpr);
      out.height = even(all.height * dpr);
    }
    const g = out.getContext("2d")!;
    g.setTransform(dpr, 0, 0, dpr, 0, 0);
    figure.drawBack(g, { width: out.width, height: out.height });
    g.drawImage(middle, 0, head, inner.width, inner.height);
    if (figure.bar) {
      g.translate(inner.width, head);
      app.controls.colours.bar.draw(g, side, inner.height);
      g.translate(-inner.width, -head);
    }
    figure.drawRest(g, inner);
  };
  if (app.view.mode === "image") {
    app.image.print(finer, (map) => compose(map, { width: map.clientWidth, height: map.clientHeight }));
    app.controls.colours.bar.redraw();
    return out;
  }
  const plot = app.view.mode === "lines" ? app.lines.print(finer) : null, each = finer * devicePixelRatio;
  if (plot) compose(plot, { width: plot.width / each, height: plot.height / each });
  return plot && out;
}

/** drawing returns the view as SVG, or null if there is no picture. */
export function drawing(app: App): string | null {
  const figure = new Figure(app), pen = new Pen(), g = pen.context;
  const inner = app.view.mode === "image" ? app.image.size() : app.view.mode === "lines" ? app.lines.extent() : null;
  if (!inner) return null;
  const all = figure.size(inner);
  figure.drawBack(g, all);
  pen.origin = { x: 0, y: head };
  if (app.view.mode === "image") app.image.drawOn(g);
  else app.lines.drawOn(g);
  if (figure.bar) {
    pen.origin = { x: inner.width, y: head };
    app.controls.colours.bar.draw(g, side, inner.height);
    app.controls.colours.bar.redraw();
  }
  pen.origin = { x: 0, y: 0 };
  figure.drawRest(g, inner);
  return pen.svg(all.width, all.height);
}
