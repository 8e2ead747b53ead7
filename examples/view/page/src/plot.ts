// The lines and bands of a plot, and the plot as a picture to be saved.

import type uPlot from "uplot";
import { lines as colours } from "./colors";
import { css, h } from "./dom";

/**
 * drawLines draws each line in runs between NaN: as a line through elements, or as a band around envelopes. uPlot's own
 * paths extend from a run towards the next one, and do not show single points.
 */
export function drawLines(u: Pick<uPlot, "ctx" | "bbox" | "data" | "valToPos">, count: number, points: boolean, dpr = devicePixelRatio) {
  const { ctx, bbox, data } = u, each = points ? 1 : 2, xs = data[0];
  const X = (k: number) => u.valToPos(xs[k], "x", true), Y = (y: number) => u.valToPos(y, "y", true);
  const apart = bbox.width / Math.max(1, xs.length) / dpr;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.lineJoin = "round";
  ctx.lineWidth = (points ? 1.5 : 1) * dpr;
  for (let i = 0; i < count; i++) {
    const hi = data[1 + each * i] as (number | null)[], lo = data[each * (i + 1)] as (number | null)[];
    ctx.strokeStyle = colours[i];
    for (let k = 0, end = 0; k < hi.length; k = end + 1) {
      end = k;
      if (hi[k] === null) continue;
      while (end + 1 < hi.length && hi[end + 1] !== null) end++;
      ctx.beginPath();
      for (let m = k; m <= end; m++) ctx.lineTo(X(m), Y(hi[m]!));
      if (!points) {
        for (let m = end; m >= k; m--) ctx.lineTo(X(m), Y(lo[m]!));
        ctx.closePath();
        ctx.fillStyle = colours[i] + "40";
        ctx.fill();
      }
      ctx.stroke();
      ctx.fillStyle = colours[i];
      const size = points ? (apart > 7 ? 5 : 2) * dpr : dpr; // size of a single point
      for (let m = k; m <= end; m++) {
        if (apart > 7 && points) {
          ctx.beginPath();
          ctx.arc(X(m), Y(hi[m]!), size / 2, 0, 7);
          ctx.fill();
        } else if (k === end) ctx.fillRect(Math.round(X(m) - size / 2), Y(hi[m]!) - dpr, size, Y(lo[m]!) - Y(hi[m]!) + 2 * dpr);
      }
    }
  }
  ctx.restore();
}

/** printPlot draws a plot of count lines with its axes at a higher resolution. */
export function printPlot(u: uPlot, count: number, points: boolean, finer: number): HTMLCanvasElement {
  const canvas = h("canvas", {});
  canvas.width = finer * u.ctx.canvas.width;
  canvas.height = finer * u.ctx.canvas.height;
  drawPlot(canvas.getContext("2d")!, u, count, points, finer);
  return canvas;
}

/** drawPlot draws a plot of count lines with its axes, scaled by finer. */
export function drawPlot(g: CanvasRenderingContext2D, u: uPlot, count: number, points: boolean, finer: number) {
  const dpr = devicePixelRatio * finer;
  const box = { left: finer * u.bbox.left, top: finer * u.bbox.top, width: finer * u.bbox.width, height: finer * u.bbox.height };
  const at = (x: number, scale: string) => finer * u.valToPos(x, scale, true);
  g.strokeStyle = css("--rule");
  g.fillStyle = css("--muted");
  g.font = `${11 * dpr}px ${css("--digits")}`;
  g.lineWidth = dpr;
  const [across, up] = u.axes.map((a) => a as uPlot.Axis & { _splits: number[]; _values: string[] });
  g.beginPath();
  g.textAlign = "center";
  g.textBaseline = "top";
  across._splits.forEach((x, i) => {
    g.moveTo(at(x, "x"), box.top);
    g.lineTo(at(x, "x"), box.top + box.height + 5 * dpr);
    String(across._values[i] ?? "").split("\n").forEach((t, k) => g.fillText(t, at(x, "x"), box.top + box.height + (9 + 14 * k) * dpr));
  });
  g.textAlign = "right";
  g.textBaseline = "middle";
  up._splits.forEach((y, i) => {
    g.moveTo(box.left - 5 * dpr, at(y, "y"));
    g.lineTo(box.left + box.width, at(y, "y"));
    g.fillText(up._values[i] ?? "", box.left - 9 * dpr, at(y, "y"));
  });
  g.stroke();
  drawLines({ ctx: g, bbox: box, data: u.data, valToPos: at }, count, points, dpr);
}
