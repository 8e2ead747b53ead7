// A histogram as bars, with its limits below.

import type { Histogram, Moments, Summary } from "./api";
import { css, fitCanvas } from "./dom";
import { full, group, near } from "./num";
import type { ColourRange } from "./range";
import type { View } from "./state";

/** edge formats an edge of a bin. */
export function edge(h: Histogram, i: number, base: string): string {
  const e = h.edges;
  return near(e[i], (e[e.length - 1] - e[0]) / h.counts.length, base);
}

/** drawBars draws the counts, in the colours that the view assigns to the numbers. */
export function drawBars(canvas: HTMLCanvasElement, hist: Histogram, v: View, range: ColourRange) {
  const { g, w, h: hh } = fitCanvas(canvas);
  g.clearRect(0, 0, w, hh);
  const { counts, edges } = hist, most = Math.max(1, ...counts), n = counts.length;
  const colour = v.lo !== null && v.hi !== null && v.mode === "image" ? range.painter() : null, foot = 16;
  for (let i = 0; i < n; i++) {
    const half = edges[i + 1] / 2 - edges[i] / 2; // the difference of edges may overflow
    g.fillStyle = colour ? colour(edges[i] + half, half) : css("--accent");
    const x0 = Math.round((i * w) / n), x1 = Math.round(((i + 1) * w) / n);
    const t = (counts[i] / most) * (hh - foot - 2);
    g.fillRect(x0, hh - foot - t, Math.max(1, x1 - x0 - 1), Math.max(counts[i] ? 1 : 0, t));
  }
  g.fillStyle = css("--rule");
  g.fillRect(0, hh - foot, w, 1);
  g.fillStyle = css("--muted");
  g.font = `10.5px ${css("--digits")}`;
  g.textBaseline = "bottom";
  g.fillText(edge(hist, 0, v.base), 0, hh);
  g.textAlign = "right";
  g.fillText(edge(hist, n, v.base), w, hh);
  g.textAlign = "left";
  canvas.setAttribute("aria-label", `histogram from ${edge(hist, 0, v.base)} to ${edge(hist, n, v.base)}, most in a bin: ${group(most)}`);
  canvas.dataset.counts = counts.join(",");
}

/** told formats a statistic with the fewest digits that identify the number. */
export function told(what: "min" | "max" | "mean" | "std" | "median", m: Moments & { median?: Summary; middle?: string }, base: string): string {
  const x = m[what] ?? null, whole = { min: m.least, max: m.greatest, median: m.middle, mean: m.average, std: "" }[what];
  if (whole) return group(whole);
  if (x === null) return "–";
  if (typeof x === "string") return x; // nan, inf or -inf
  if (base !== "0" && what !== "std") return Math.abs(x) < 2 ** 53 ? full(x, base) : full(Number(base) + x);
  return Number.isInteger(x) && Math.abs(x) < 1e15 ? group(x) : full(x);
}
