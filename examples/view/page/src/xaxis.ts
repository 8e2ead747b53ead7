// The values along x in lines: the index, or another array or field with as many elements, which may be times.

import { arrayPath, getInfo, getLine, query, type Info, type Line, type Source } from "./api";
import { fraction, scale, type Scale } from "./num";

/** XSource is a one-dimensional array, or a field of one. */
export interface XSource {
  key: string; // in the address: the id of an array, or "." and the name of a field of the same array
  name: string;
  id: string;
  field: string[];
  dtype: string;
}

/** xSources returns the possible values for an x axis of n elements: other fields of the array, and listed arrays. */
export function xSources(a: Info, n: number, field: string[], parent: Info | null, list: Source[]): XSource[] {
  const fits = (dtype: string) => /^[<>|=]?([?biuf]\d*|[mM]8(\[.*\])?)$/.test(dtype);
  const beside = parent && a.shape.length === 1 ? (parent.fields ?? []).filter((f) => f.name !== field[field.length - 1] && fits(f.dtype) && !f.shape?.length) : [];
  const others = list.filter((s) => {
    const [dtype, shape] = (s.summary ?? "").split(" · ");
    return s.kind === "array" && s.id !== a.id && shape === String(n) && fits(dtype);
  });
  return [
    ...beside.map((f) => ({ key: "." + f.name, name: f.name, id: a.id, field: [...field.slice(0, -1), f.name], dtype: f.dtype })),
    ...others.map((s) => ({ key: s.id, name: s.name, id: s.id, field: [], dtype: s.summary!.split(" · ")[0] })),
  ];
}

const ms: Record<string, number> = { W: 6048e5, D: 864e5, h: 36e5, m: 6e4, s: 1e3, ms: 1, us: 1e-3, ns: 1e-6, ps: 1e-9, fs: 1e-12, as: 1e-15 };
const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5, 36e5, 72e5, 108e5, 216e5, 432e5, 864e5, 1728e5, 3456e5, 6048e5];

/** xScale returns ticks from lo to hi, relative to base, for numbers or times. */
export function xScale(dtype: string, lo: number, hi: number, n: number, base: string): Scale {
  const s = xScaleOf(dtype, lo, hi, n, base);
  return s.ticks.length > 1 || n > 16 || !(hi > lo) ? s : xScale(dtype, lo, hi, 2 * n, base); // one tick does not define a scale
}

function xScaleOf(dtype: string, lo: number, hi: number, n: number, base: string): Scale {
  const [, kind, count, unit] = dtype.match(/^.?([mM])8\[(\d*)(\w+)\]$/) ?? [];
  if (!kind) return scale(lo, hi, n, base, base !== "0" || /[?iu]\d*$/.test(dtype));
  const each = Number(count || 1);
  const plain = () => {
    const s = scale(lo, hi, n, base), what = `${each > 1 ? each + " " : ""}${unit}${kind === "M" ? " since 1970" : ""}`;
    return { ticks: s.ticks, offset: s.offset ? `${s.offset} + … ${what}` : what };
  };
  if (kind === "m" || !(hi > lo)) return plain();
  // Dates, in milliseconds or months since 1970.
  const months = unit === "Y" ? 12 * each : unit === "M" ? each : 0;
  const at = (x: number) => (Number(BigInt(base) + BigInt(Math.floor(x))) + (x - Math.floor(x))) * (months || ms[unit] * each);
  const from = at(lo), to = at(hi), utc = (m: number) => new Date(0).setUTCMonth(m);
  const monthOf = (t: number) => 12 * (new Date(t).getUTCFullYear() - 1970) + new Date(t).getUTCMonth();
  const place = (t: number) => (t - from) / (to - from);
  const raw = (to - from) / Math.max(1, n), ticks: Scale["ticks"] = [];
  const iso = (t: number) => new Date(t).toISOString();
  if (!Number.isFinite(from) || Math.abs(months ? to : to / 2.6e9) > 3e6 || (!months && raw < 1)) return plain();
  const step = months ? undefined : steps.find((s) => s >= raw);
  if (step === undefined) {
    const want = months ? raw : raw / 2.63e9, power = 10 ** Math.floor(Math.log10(Math.max(want / 12, 1)));
    const by = [1, 2, 3, 6].find((m) => m >= want) ?? [12, 24, 60, 120].map((m) => m * power).find((m) => m >= want) ?? 120 * power;
    const first = months ? from : monthOf(from), last = months ? to : monthOf(to);
    for (let m = Math.ceil(first / by) * by; m <= last && ticks.length < 100; m += by) {
      const p = place(months ? m : utc(m));
      if (p >= 0 && p <= 1) ticks.push({ at: p, text: iso(utc(m)).slice(0, by % 12 ? -17 : -20) });
    }
    return { ticks, offset: "" };
  }
  const length = step >= 864e5 ? 0 : step >= 6e4 ? 5 : step >= 1e3 ? 8 : 12;
  let day = "";
  for (let t = Math.ceil(from / step) * step; t <= to && ticks.length < 100; t += step) {
    const [date, time] = iso(t).split("T");
    ticks.push({ at: place(t), text: length === 0 ? date : time.slice(0, length) + (date === day ? "" : "\n" + date) });
    day = date;
  }
  return { ticks, offset: "" };
}

/** X holds the values along x for the entries of the lines. */
export interface X {
  of: XSource;
  base: string;
  line: Line;
  get: (params: object) => Promise<Line>;
  places: Float64Array | null; // ascending positions of the entries; null if x is not monotonic
  backwards: boolean; // x descends: the last entry has the least x
  ticks: Scale;
}

/** askX requests the values along x for the elements of each entry. */
export async function askX(of: XSource, from: number, to: number, n: number, signal: AbortSignal): Promise<X> {
  const { base } = await getInfo(of.id, of.field, signal, true);
  const get = (params: object) => getLine(arrayPath(of.id, "line") + query({ field: of.field, at: [0], part: "", base }, { x: 0, ticks: 1, ...params }), signal);
  return { of, base, get, line: await get({ from, to, n }), places: null, backwards: false, ticks: { ticks: [], offset: "" } };
}

/**
 * placeX computes the positions of the entries between the least x (0) and the greatest (1), and about n ticks. It
 * returns the least and the greatest x, or null if x is not monotonic.
 */
export function placeX(x: X, n: number): [number, number] | null {
  x.places = null;
  const { lo, hi } = x.line, count = lo.length, before = (k: number) => hi[k] <= lo[k + 1], behind = (k: number) => lo[k] >= hi[k + 1];
  const all = (f: (k: number) => boolean) => [...Array(Math.max(0, count - 1)).keys()].every(f);
  x.backwards = !all(before);
  if (count < 2 || (x.backwards && !all(behind))) return null;
  const [least, most] = x.backwards ? [lo[count - 1], hi[0]] : [lo[0], hi[count - 1]];
  if (!Number.isFinite(least) || !Number.isFinite(most) || !(least < most)) return null;
  const middle = (k: number) => (fraction(lo[k], least, most) + fraction(hi[k], least, most)) / 2;
  x.places = Float64Array.from(lo, (_, k) => middle(x.backwards ? count - 1 - k : k));
  x.ticks = xScale(x.of.dtype, least, most, n, x.base);
  return [least, most];
}
