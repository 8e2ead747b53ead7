// Projections: the mean, the extremes, the sum or the standard deviation of the elements along axes that are not shown.
// The server computes them, as arrays with axes of length 1.

import { getInfo, runJob, type Info } from "./api";
import { clamp } from "./num";

export const ops = ["mean", "max", "min", "sum", "std"];

/** Projection is an operation on the elements from index from to to - 1 of an axis (to = 0: up to the end). */
export interface Projection {
  axis: number;
  op: string;
  from: number;
  to: number;
}

/** format encodes p for an address. */
export function format(p: Projection): string {
  return [p.axis, p.op, ...(p.from || p.to ? [p.from, p.to] : [])].join(",");
}

/** parse decodes the result of format. It returns null if the text is invalid. */
export function parse(text: string): Projection | null {
  const [, axis, op, from, to] = text.match(/^(\d{1,2}),(\w+)(?:,(\d{1,15}),(\d{1,15}))?$/) ?? [];
  return ops.includes(op) ? { axis: Number(axis), op, from: Number(from ?? 0), to: Number(to ?? 0) } : null;
}

/** range returns the first and the last index that are combined, of n indices. */
export function range(p: Projection, n: number): [first: number, last: number] {
  const last = p.to > 0 ? Math.min(p.to, n) - 1 : n - 1;
  return [clamp(p.from, 0, last), last];
}

/** possible returns the projections that array a can have: none, or at most one for each of its axes. */
export function possible(list: Projection[], a: Info): Projection[] {
  return a.projectable ? list.filter((p, i) => a.shape[p.axis] > 0 && list.findIndex((q) => q.axis === p.axis) === i) : [];
}

/** replaced returns the list with another projection of an axis, or without one if p is null. */
export function replaced(list: Projection[], axis: number, p: Projection | null): Projection[] {
  if (p && list.some((q) => q.axis === axis)) return list.map((q) => (q.axis === axis ? p : q));
  return [...list.filter((q) => q.axis !== axis), ...(p ? [p] : [])];
}

/** steps groups consecutive projections with the same operation, which is applied to their axes at once. */
function steps(list: Projection[]): Projection[][] {
  const groups: Projection[][] = [];
  for (const p of list) {
    const last = groups[groups.length - 1];
    if (last?.[0].op === p.op) last.push(p);
    else groups.push([p]);
  }
  return groups;
}

/** words describes projections, in the order in which they are applied. */
export function words(list: Projection[]): string {
  const one = (p: Projection) => `axis ${p.axis}${p.from || p.to ? ` from ${p.from}${p.to ? ` to ${p.to - 1}` : ""}` : ""}`;
  return steps(list).map((s) => `${s[0].op} along ${s.map(one).join(" and ")}`).join(", then ");
}

// page identifies this page to the server, which computes one projection at a time for each page.
const page = Array.from(crypto.getRandomValues(new Uint32Array(4)), (x) => x.toString(36)).join("");

/** compute computes projections of a field of an array, and returns the description of the result. */
export async function compute(a: Info, field: string[], list: Projection[], progress: (x: number) => void, signal: AbortSignal): Promise<Info> {
  const groups = steps(list);
  let id = a.id;
  for (const [i, group] of groups.entries()) {
    const along = group.map((p) => ({ axis: p.axis, from: range(p, a.shape[p.axis])[0], to: range(p, a.shape[p.axis])[1] + 1 }));
    const body = { kind: "projection", field: i === 0 ? field : [], op: group[0].op, along, page };
    id = (await runJob<{ id: string }>(id, body, (x) => progress((i + x) / groups.length), signal)).id;
  }
  const { status, message, files, described } = a;
  return { ...(await getInfo(id, [], signal)), status, message, files, described };
}
