// Scales of numbers: linear, logarithmic, symmetric logarithmic, or by a power.

import { fraction, full, scale, type Scale as Ticks } from "./num";

export type Scale = "linear" | "log" | "symlog" | "gamma";
export const scales: [Scale, string][] = [["linear", "linear"], ["log", "logarithmic"], ["symlog", "symmetric log"], ["gamma", "power (gamma)"]];

/** Norm is a range of numbers with a scale. */
export interface Norm {
  lo: number;
  hi: number;
  scale: Scale;
  gamma: number;
}

/** norm creates a Norm. A logarithmic scale starts above 0. If the range does not permit scale, it becomes linear. */
export function norm(lo: number, hi: number, scale: Scale, gamma: number, above0: number | null, base: string): Norm {
  if (!(hi > lo) || (base !== "0" && scale !== "gamma")) scale = "linear";
  if (scale === "log" && lo <= 0) {
    if (hi <= 0 || (above0 !== null && above0 >= hi)) scale = "linear";
    else lo = above0 ?? hi / 1000;
  }
  return { lo, hi, scale, gamma };
}

/**
 * most returns the greatest magnitude. A symmetric log is linear up to a thousandth of it, which may be 0 for denormal
 * numbers.
 */
function most(n: Norm): number {
  return Math.max(Math.abs(n.lo), Math.abs(n.hi));
}

/** close reports whether lo and hi have the same sign and are so close that their logarithms are inaccurate. */
function close({ lo, hi }: Norm): boolean {
  return lo > 0 ? hi - lo < lo : hi < 0 && hi - lo < -hi;
}

/**
 * beyond returns the distance between the logarithms of x and lo. It is accurate for close numbers. from is the end of
 * the linear part.
 */
function beyond(x: number, lo: number, from: number): number {
  return Math.sign(lo) * Math.log1p((Math.abs(x) - Math.abs(lo)) / Math.abs(lo) / (1 + from / Math.abs(lo)));
}

function signedLog(x: number, most: number): number {
  return Math.sign(x) * Math.log1p(1000 * (Math.abs(x) / most));
}

/** placer returns a function that maps numbers to positions: lo to 0 and hi to 1. */
export function placer(n: Norm): (x: number) => number {
  const { lo, hi } = n;
  switch (n.scale) {
    case "log": {
      if (close(n)) {
        const all = beyond(hi, lo, 0);
        return (x) => (x > 0 ? beyond(x, lo, 0) / all : x !== x ? x : -Infinity);
      }
      const a = Math.log(lo), b = Math.log(hi);
      return (x) => (x > 0 ? (Math.log(x) - a) / (b - a) : x !== x ? x : -Infinity);
    }
    case "symlog": {
      const m = most(n), a = signedLog(lo, m), b = signedLog(hi, m);
      if (close(n)) {
        const all = beyond(hi, lo, m / 1000);
        return (x) => (Math.sign(x) === Math.sign(lo) ? beyond(x, lo, m / 1000) / all : (signedLog(x, m) - a) / (b - a));
      }
      return (x) => (signedLog(x, m) - a) / (b - a);
    }
    case "gamma":
      return (x) => {
        const t = fraction(x, lo, hi);
        return t > 0 ? t ** n.gamma : t;
      };
  }
  return (x) => fraction(x, lo, hi);
}

/** valueAt returns the number at position t. */
export function valueAt(n: Norm, t: number): number {
  const { lo, hi } = n;
  if (close(n) && (n.scale === "log" || n.scale === "symlog")) {
    const from = n.scale === "log" ? 0 : most(n) / 1000, more = Math.expm1(Math.sign(lo) * t * beyond(hi, lo, from));
    return lo + lo * more + Math.sign(lo) * from * more;
  }
  switch (n.scale) {
    case "log": // hi / lo may overflow
      return hi / lo < Infinity ? lo * (hi / lo) ** t : lo ** (1 - t) * hi ** t;
    case "symlog": {
      const m = most(n), a = signedLog(lo, m), y = a + t * (signedLog(hi, m) - a);
      return Math.sign(y) * m * (Math.expm1(Math.abs(y)) / 1000);
    }
    case "gamma":
      t = t > 0 ? t ** (1 / n.gamma) : t;
  }
  return lo * (1 - t) + hi * t; // hi - lo may overflow
}

/** ticksOf returns about count ticks. If whole is set, all ticks are integers. */
export function ticksOf(n: Norm, count: number, base: string, whole = false): Ticks {
  if (n.scale === "linear") return scale(n.lo, n.hi, count, base, whole);
  const at = placer(n), apart = 0.6 / count;
  let values: number[] = [];
  if (n.scale === "gamma") values = scale(n.lo, n.hi, count, base, whole).ticks.map((t) => n.lo * (1 - t.at) + n.hi * t.at);
  else {
    const least = n.scale === "log" ? n.lo : Math.max(most(n) / 1000, Number.MIN_VALUE);
    const from = Math.ceil(Math.log10(least) - 1e-9), to = Math.floor(Math.log10(most(n)) + 1e-9);
    if (n.scale === "log" && to - from < 1) return placed(scale(n.lo, n.hi, count, base, whole), n);
    const step = Math.max(1, Math.ceil((to - from + 1) / Math.max(1, n.scale === "log" ? count : count / 2)));
    for (let k = to; k >= from; k -= step) values.push(Number(`1e${k}`));
    if (n.scale === "symlog") values = [...values.map((x) => -x).filter((x) => x >= n.lo), ...(n.lo <= 0 && n.hi >= 0 ? [0] : []), ...values.reverse().filter((x) => x <= n.hi && x >= n.lo)];
    else values.reverse();
  }
  const ticks: Ticks["ticks"] = [];
  for (const x of values) {
    const t = at(x);
    if (whole && Math.abs(x) < 1 && x !== 0) continue; // values are powers of ten, or come from scale
    if (t >= -1e-9 && t <= 1 + 1e-9 && !ticks.some((u) => Math.abs(u.at - t) < apart)) ticks.push({ at: Math.min(1, Math.max(0, t)), text: full(Number(x.toPrecision(12)), base) });
  }
  return { ticks, offset: "" };
}

function placed(s: Ticks, n: Norm): Ticks {
  const at = placer(n);
  return { ...s, ticks: s.ticks.map((t) => ({ ...t, at: at(n.lo * (1 - t.at) + n.hi * t.at) })) };
}
