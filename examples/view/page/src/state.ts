// The view: all properties that the address reproduces.

import type { Info, Sel } from "./api";
import { categorical, cyclic, maps } from "./colors";
import { clamp, rebase } from "./num";
import * as projections from "./projections";
import { scales, type Scale } from "./scales";

export type Mode = "image" | "lines" | "table" | "tree";
type Asked = Mode | "auto"; // auto: chosen by the array
export type Comparison = "side" | "blink" | "difference";
export type RangeMode = "percentile" | "extremes" | "hand";

/** Span is a pair of elements, as rows and columns. */
export type Span = [y0: number, x0: number, y1: number, x1: number];

export interface View {
  src: string;
  field: string[];
  part: string;
  mode: Asked;
  at: number[];
  project: projections.Projection[]; // in the order in which they are applied; the indices in at are 0 on their axes

  // The image: its axes (y is -1 for a single row), the element at the centre of the window, and CSS pixels per element
  // (0: fit the window).
  y: number;
  x: number;
  cx: number;
  cy: number;
  zx: number;
  zy: number;
  stretch: boolean;
  aspect: number; // height of an element divided by its width, unless stretched
  flipX: boolean; // the first column is at the right
  flipY: boolean; // the first row is at the bottom
  scale: Scale; // scale of the colours
  gamma: number; // exponent of a power scale
  reversed: boolean; // whether the map is reversed
  scaleY: Scale; // scale of y in lines
  log: boolean; // logarithmic counts of the histogram
  how: string;
  rgb: boolean;
  map: string; // "": chosen by the numbers
  range: RangeMode;
  base: string; // the number subtracted from lo and hi, like base in Info
  plo: number;
  phi: number;
  lo: number | null; // null until it is known
  hi: number | null;
  perFrame: boolean;

  speed: number; // frames per second
  playFrom: number; // first and last frame to play; -1 for the last frame of the axis
  playTo: number;
  loop: boolean;

  other: string; // id of the array to compare with, or ""
  otherAt: number[]; // indices of the other array, if they differ from the indices of the first one
  compare: Comparison;

  box: Span | null; // upper left element, and the row and column after the lower right one
  across: Span | null; // a line between two elements

  // Lines: the axis, the range of elements (to = 0: up to the end), and the kept lines.
  lx: number;
  over: number; // the axis with a line for each index; -1: one line; -2: chosen by the array
  from: number;
  to: number;
  pins: number[][];
  along: string | null; // the values along x, as XSource.key, "" for the index, or null if chosen by the array

  // The table: axes of rows and columns (-1: none), and the row and column at the top left.
  tr: number;
  tc: number;
  row: number;
  col: number;
}

export const initial: View = {
  src: "", field: [], part: "", mode: "auto", at: [], project: [],
  y: -1, x: -1, cx: 0, cy: 0, zx: 0, zy: 0, stretch: false, aspect: 1, flipX: false, flipY: false, scale: "linear", gamma: 0.5, reversed: false, scaleY: "linear", log: false, how: "mean", rgb: true,
  map: "", range: "percentile", base: "0", plo: 1, phi: 99, lo: null, hi: null, perFrame: false, speed: 15, playFrom: 0, playTo: -1, loop: true, other: "", otherAt: [], compare: "side", box: null, across: null,
  lx: -1, over: -2, from: 0, to: 0, pins: [], along: null, tr: -1, tc: -1, row: 0, col: 0,
};

const numbers = ["y", "x", "cx", "cy", "zx", "zy", "aspect", "gamma", "speed", "playFrom", "playTo", "plo", "phi", "lx", "over", "from", "to", "tr", "tc", "row", "col"] as const;
const broken = new Set<string>(["cx", "cy", "zx", "zy", "aspect", "gamma", "speed", "plo", "phi", "from", "to", "row"]); // numbers that may have fractions
const flags = ["stretch", "flipX", "flipY", "reversed", "log", "loop", "rgb", "perFrame"] as const;

/** format encodes a view as the hash of an address. It omits properties with their initial values. */
export function format(v: View): string {
  const q = new URLSearchParams();
  q.set("src", v.src);
  for (const f of v.field) q.append("field", f);
  q.set("mode", v.mode);
  if (v.part) q.set("part", v.part);
  if (v.at.length) q.set("at", v.at.join(","));
  for (const p of v.project) q.append("project", projections.format(p));
  for (const k of numbers) if (v[k] !== initial[k]) q.set(k, String(Number(v[k].toPrecision(12))));
  for (const k of flags) if (v[k] !== initial[k]) q.set(k, v[k] ? "1" : "0");
  if (v.how !== initial.how) q.set("how", v.how);
  if (v.map) q.set("map", v.map);
  for (const k of ["scale", "scaleY"] as const) if (v[k] !== initial[k]) q.set(k, v[k]);
  if (v.range !== initial.range) q.set("range", v.range);
  if (v.lo !== null && v.hi !== null) q.set("colours", `${v.lo},${v.hi}`);
  for (const k of ["box", "across"] as const) if (v[k]) q.set(k, v[k].join(","));
  if (v.other) {
    q.set("other", v.other);
    q.set("compare", v.compare);
    if (v.otherAt.length) q.set("otherAt", v.otherAt.join(","));
  }
  if (v.along !== null) q.set("along", v.along);
  if (v.base !== "0") q.set("base", v.base);
  for (const p of v.pins) q.append("pin", p.join(","));
  return q.toString();
}

/** parse decodes the result of format, or a typed address. Invalid properties get their initial values. */
export function parse(text: string): View {
  const q = new URLSearchParams(text);
  const v: View = { ...initial, field: q.getAll("field"), src: q.get("src") ?? "" };
  const mode = q.get("mode");
  if (mode === "image" || mode === "lines" || mode === "table" || mode === "tree") v.mode = mode;
  v.part = pick(q.get("part"), ["real", "imag", "abs", "angle"], "");
  v.at = integers(q.get("at"));
  v.project = q.getAll("project").slice(0, 64).flatMap((s) => projections.parse(s) ?? []);
  for (const k of numbers) {
    const x = Number(q.get(k) ?? NaN);
    if (Number.isFinite(x)) v[k] = broken.has(k) ? x : Math.trunc(x);
  }
  for (const k of flags) if (q.has(k)) v[k] = q.get(k) === "1";
  v.how = pick(q.get("how"), ["mean", "min", "max"], initial.how);
  v.map = pick(q.get("map"), maps, initial.map);
  for (const k of ["scale", "scaleY"] as const) v[k] = pick(q.get(k), scales.map(([s]) => s), initial[k]) as Scale;
  v.range = pick(q.get("range"), ["percentile", "extremes", "hand"], initial.range) as RangeMode;
  const [lo, hi] = (q.get("colours") ?? "").split(",").map((s) => (s ? Number(s) : NaN));
  if (Number.isFinite(lo) && Number.isFinite(hi)) [v.lo, v.hi] = [lo, hi];
  if (/^-?\d{1,20}$/.test(q.get("base") ?? "")) v.base = q.get("base")!;
  for (const k of ["box", "across"] as const) {
    const s = integers(q.get(k));
    if (s.length === 4) v[k] = s as Span;
  }
  v.other = q.get("other") ?? "";
  v.otherAt = integers(q.get("otherAt"));
  v.compare = pick(q.get("compare"), ["side", "blink", "difference"], initial.compare) as Comparison;
  v.along = q.get("along");
  v.pins = q.getAll("pin").slice(0, 8).map(integers);
  return v;
}

function pick(s: string | null, of: string[], otherwise: string): string {
  return s !== null && of.includes(s) ? s : otherwise;
}

function integers(s: string | null): number[] {
  return s ? s.split(",").slice(0, 64).map((t) => Math.max(0, Math.trunc(Number(t)) || 0)) : [];
}

/** fit adapts a view to an array, so that axes exist and indices are in range. */
export function fit(v: View, a: Info): View & { mode: Mode } {
  const n = a.shape.length;
  const w = { ...v, ...(v.project.length ? { other: "", otherAt: [] } : {}) }; // other arrays have other shapes
  if (w.otherAt.length) w.otherAt = v.otherAt.length === n ? a.shape.map((len, k) => clamp(v.otherAt[k], 0, Math.max(0, len - 1))) : [];
  if (differs(w)) w.rgb = false;
  w.base = differs(w) ? "0" : a.base; // differences do not need a base
  if (w.lo !== null && w.hi !== null) [w.lo, w.hi] = [rebase(w.lo, v.base, w.base), rebase(w.hi, v.base, w.base)];
  w.at = a.shape.map((len, k) => clamp(v.at[k] ?? 0, 0, Math.max(0, len - 1)));
  w.pins = v.pins.filter((p) => p.length === n && p.every((i, k) => i < a.shape[k]));
  const rgb = a.rgb && w.rgb, combined = (k: number) => v.project.some((p) => p.axis === k);
  // The last axes are shown by default; axes of projections only if there are no others.
  const order = a.shape.map((_, k) => k).filter((k) => !rgb || k !== a.channels).sort((j, k) => Number(combined(k)) - Number(combined(j)));
  const [last = -1, before = -1] = [...order].reverse();
  const idle = (...axes: number[]) => axes.some(combined) && order.some((k) => !combined(k) && !axes.includes(k));
  const axis = (k: number) => Number.isInteger(k) && k >= 0 && k < n;
  if (!axis(w.x) || (n > 1 && !axis(w.y)) || w.y === w.x || (rgb && [w.x, w.y].includes(a.channels)) || idle(w.y, w.x)) {
    // The zoom in an address without axes applies to the default axes.
    const zoom = v.x === initial.x && v.y === initial.y && v.zx > 0 && v.zy > 0;
    [w.y, w.x] = idle(a.first.y, a.first.x) ? [before, last] : [a.first.y, a.first.x];
    if (!zoom) {
      w.zx = w.zy = 0;
      w.stretch = n > 0 && thread(a, w.y, w.x);
    }
  }
  if (n === 1) w.y = -1;
  const ny = a.shape[w.y] ?? 0, nx = a.shape[w.x] ?? 0;
  if (w.box && !(w.box[0] < w.box[2] && w.box[2] <= ny && w.box[1] < w.box[3] && w.box[3] <= nx)) w.box = null;
  if (w.across && !(Math.max(w.across[0], w.across[2]) < ny && Math.max(w.across[1], w.across[3]) < nx)) w.across = null;
  if (!axis(w.lx) || idle(w.lx)) w.lx = a.first.line;
  const few = a.first.few.filter((k) => k !== w.lx);
  if (w.over === -2) w.over = w.pins.length ? -1 : few[few.length - 1] ?? -1;
  else if (!few.includes(w.over)) w.over = -1;
  if (idle(w.tr, w.tc)) [w.tr, w.tc] = [before, last];
  if (!axis(w.tr)) w.tr = a.kind === "struct" || n === 1 ? 0 : n - 2;
  if (!axis(w.tc) || w.tc === w.tr) w.tc = n > 1 && a.kind !== "struct" ? (w.tr === n - 1 ? n - 2 : n - 1) : -1;
  if (n === 0) w.lx = w.tr = w.tc = -1;
  if (a.kind === "complex" ? !w.part : w.part) w.part = a.kind === "complex" ? "abs" : "";
  if (v.mode === "auto") { // a view without properties uses the description of the array
    w.flipY ||= a.flipY;
    if (w.aspect === 1 && a.aspect > 0) w.aspect = a.aspect;
  }
  if (!(w.aspect >= 1 / 64 && w.aspect <= 64)) w.aspect = 1;
  if (!(w.speed >= 0.1 && w.speed <= 60)) w.speed = initial.speed;
  if (!(w.plo >= 0 && w.plo <= w.phi && w.phi <= 100)) [w.plo, w.phi] = [initial.plo, initial.phi];
  if (!(w.gamma > 0 && w.gamma <= 10)) w.gamma = initial.gamma;
  if (w.map === categorical && !isWhole(a)) w.map = "";
  w.map ||= a.first.categories && !differs(w) ? categorical : mapOf(w.part);
  if (w.mode === "auto") w.mode = a.first.mode;
  if (!modesOf(a).includes(w.mode)) [w.mode] = modesOf(a);
  // A stack opens in its middle.
  if (v.at.length === 0 && w.mode !== "table") {
    const shown = w.mode === "lines" ? [w.lx, w.over] : [w.y, w.x, ...(rgb ? [a.channels] : [])];
    w.at = a.shape.map((len, k) => (shown.includes(k) || len === 0 ? 0 : len >> 1));
  }
  return w as View & { mode: Mode };
}

/** modesOf returns the modes that can show an array, the one for all elements first. */
export function modesOf(a: Info): Mode[] {
  const tree: Mode[] = a.objects ? ["tree"] : [];
  return a.kind === "object" ? tree : a.numeric && a.shape.length > 0 ? ["table", "image", "lines", ...tree] : ["table", ...tree];
}

/** howOf returns the reduction that pixels show. Categories have no mean, so their pixels show the maximum. */
export function howOf(v: View): string {
  return v.map === categorical && v.how === "mean" ? "max" : v.how;
}

/** isWhole reports whether the elements are integers or bools. */
export function isWhole(a: Info): boolean {
  return a.kind === "int" || a.kind === "uint" || a.kind === "bool";
}

/** mapOf returns the default colour map for a part of complex numbers, or for other numbers. */
export function mapOf(part: string): string {
  return part === "angle" ? cyclic : "viridis";
}

/** thread reports whether a plane is so long and narrow that its axes need different scales. */
export function thread(a: Info, y: number, x: number): boolean {
  const ny = y < 0 ? 1 : a.shape[y], nx = a.shape[x];
  return Math.max(nx, ny) > 8 * Math.min(nx, ny);
}

/** differs reports whether the view shows a difference. */
export function differs(v: View): boolean {
  return v.other !== "" && v.compare === "difference";
}

export function sel(v: View): Sel {
  return { field: v.project.length ? [] : v.field, at: v.at, part: v.part, base: v.base, ...(differs(v) ? { minus: v.other, minusAt: v.otherAt } : {}) };
}
