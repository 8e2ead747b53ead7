// Refinement of lines from samples to exact ones.

import { EXACT, PARTIAL, SAMPLED, type Line } from "./api";

/** Refined holds a line to refine and a function that requests a part of it. */
export interface Refined {
  line: Line;
  get: (params: object) => Promise<Line>;
}

/**
 * refine requests the sampled parts of lines again, in smaller and smaller parts, until the server has read all of
 * their elements. Parts that are still sampled at the end keep their flag.
 */
export async function refine(all: Refined[], to: number, signal: AbortSignal, better: (done: number, left: boolean) => void) {
  const todo = all.map(({ line: l }) => (l.flags & SAMPLED && l.flags & PARTIAL ? [{ first: 0, n: l.lo.length, depth: 0 }] : []));
  const total = todo.flat().reduce((sum, p) => sum + p.n, 0);
  if (total === 0) return;
  let done = 0, left = 0;
  for (const [i, parts] of todo.entries()) {
    const { line, get } = all[i];
    for (let p = parts.pop(); p; p = parts.pop()) {
      const from = line.from + p.first * line.step;
      const part = await get({ from, to: Math.min(to, from + p.n * line.step), n: p.n, step: line.step, refine: 1 });
      if (signal.aborted) return;
      line.lo.set(part.lo, p.first);
      if (line.hi !== line.lo) line.hi.set(part.hi, p.first);
      if (part.flags & EXACT) done += p.n;
      else if (p.n > 1 && p.depth < 5) {
        for (let k = 0, size = Math.ceil(p.n / 4); k < p.n; k += size) parts.push({ first: p.first + k, n: Math.min(size, p.n - k), depth: p.depth + 1 });
        continue;
      } else left += p.n;
      better((done + left) / total, left > 0);
    }
    if (left === 0) line.flags = (line.flags & ~(SAMPLED | PARTIAL)) | EXACT;
  }
  better(1, left > 0);
}
