// A box as code: the selection between NumPy's brackets, and the calls in Go.

import type { Span, View } from "./state";

/** entries returns the entries between NumPy's brackets that select a box of an array with n axes. */
export function entries(v: View, n: number, [y0, x0, y1, x1]: Span): string {
  return Array.from({ length: n }, (_, k) => (k === v.y ? `${y0}:${y1}` : k === v.x ? `${x0}:${x1}` : v.at[k])).join(", ");
}

/** code returns code that selects a box, in NumPy and in Go. */
export function code(v: View, n: number, box: Span): [language: string, text: string][] {
  const [y0, x0, y1, x1] = box, swapped = v.y > v.x;
  const fields = v.field.map((f) => `[${JSON.stringify(f)}]`).join("");
  const calls = Array.from({ length: n }, (_, k) => (k === v.y ? `index.Range(${y0}, ${y1})` : k === v.x ? `index.Range(${x0}, ${x1})` : `index.At(${v.at[k]})`));
  return [
    ["NumPy", `a${fields}[${entries(v, n, box)}]${swapped ? ".T" : ""}`],
    ["Go", [...v.field.map((f) => `a, err = a.Field(${JSON.stringify(f)})`), `a.Select(${calls.join(", ")})`].join("; ") + (swapped ? " // and .T()" : "")],
  ];
}

/**
 * parseBox parses a selection as between NumPy's brackets: one entry per axis, or one each for the two axes of the image,
 * in the order of the axes. It returns the box and the indices on the remaining axes. Invalid text is an error.
 */
export function parseBox(text: string, v: View, shape: number[]): { box: Span; at: number[] } {
  const n = shape.length, shown = [v.y, v.x].sort((a, b) => a - b);
  const inner = /\[([^[\]]*)\](\.T)?\s*$/.exec(text)?.[1] ?? text; // a[3:9, 4:20] or 3:9, 4:20
  const parts = inner.split(",").map((s) => s.trim());
  if (parts.length > 2 && parts[parts.length - 1] === "") parts.pop();
  if (parts.length !== n && parts.length !== 2) {
    throw new Error(`${parts.length === 1 ? "1 entry" : `${parts.length} entries`}: want 2, such as 3:9, 4:20${n > 2 ? `, or ${n}, one for each axis` : ""}`);
  }
  const axes = parts.length === n ? shape.map((_, k) => k) : shown, at = [...v.at];
  const ranges = new Map<number, [number, number]>();
  parts.forEach((part, i) => {
    const k = axes[i], len = shape[k], [, from, colon, to] = /^(-?\d+)?\s*(:)?\s*(-?\d+)?$/.exec(part) ?? [];
    if (from === undefined && colon === undefined) throw new Error(`"${part}" is neither an index nor a range such as 3:9`);
    const index = (s: string) => (Number(s) < 0 ? Number(s) + len : Number(s));
    if (colon === undefined) {
      const at0 = index(from);
      if (!(at0 >= 0 && at0 < len)) throw new Error(`the index ${part} is out of range: axis ${k} has ${len} elements`);
      at[k] = at0;
      ranges.set(k, [at0, at0 + 1]);
      return;
    }
    if (!shown.includes(k)) throw new Error(`axis ${k} is not in the image: want one index, not the range ${part}`);
    const a = Math.max(0, index(from ?? "0")), b = Math.min(len, to === undefined ? len : index(to));
    if (!(a < b)) throw new Error(`the range ${part} has no elements: axis ${k} has ${len}`);
    ranges.set(k, [a, b]);
  });
  const [y0, y1] = ranges.get(v.y)!, [x0, x1] = ranges.get(v.x)!;
  for (const k of shown) at[k] = v.at[k];
  return { box: [y0, x0, y1, x1], at };
}
