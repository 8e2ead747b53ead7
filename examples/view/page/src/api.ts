// Types and functions for the API of the server.

import { num } from "./num";

export interface Source {
  id: string;
  name: string;
  kind: "array" | "archive" | "folder";
  error?: string;
  summary?: string; // dtype and shape of an array
  size?: number; // bytes of a file, or of the elements of a member
  modified?: number; // modification time of a file, in milliseconds since 1970
  children?: Source[];
}

export interface Field {
  name: string;
  dtype: string;
  kind: string;
  shape: number[];
}

export interface Info {
  id: string;
  name: string;
  version: number;
  status: "ok" | "truncated" | "gone" | "replaced" | "error";
  message?: string;
  files: number; // number of earlier files at the same path
  dtype: string;
  objects?: string; // dtype in the file, if the elements are Python objects; kind is "object" if they have no other dtype
  kind: string;
  bigEndian: boolean;
  itemsize: number;
  shape: number[];
  order: string;
  dataOffset: number | string;
  nbytes: number | string;
  inflated: boolean;
  projected: boolean; // the elements were computed from other elements
  projectable: boolean; // the elements can be combined along an axis
  fields?: Field[];
  numeric: boolean;
  rgb: boolean; // the elements can be shown as colours
  channels: number; // axis of the channels of colours, or -1
  first: First;
  base: string; // the number subtracted from integers in responses; "0" for other dtypes
  unit: string; // unit of the elements
  axes: { name: string; unit: string; valued: boolean }[] | null;
  flipY: boolean; // the first row is at the bottom
  aspect: number; // 0 if unknown
  labels: Record<string, string> | null; // keys are integers
  described?: string; // errors in the description file
}

/** First is the first view of an array. The server chooses it. An axis is -1 if the array has no such axis. */
export interface First {
  mode: "image" | "lines" | "table" | "tree";
  y: number;
  x: number;
  line: number; // the axis along the lines
  few: number[]; // axes with so few elements that each can have a line
  field: string; // the field of records to draw first, or ""
  against: string; // the field along x for lines of this field, or ""
  categories: boolean; // each integer has a colour of its own
}

/** Sel selects numbers of an array: a field, indices, and a part of complex numbers. */
export interface Sel {
  field: string[];
  at: number[];
  part: string;
  base: string;
  minus?: string; // id of the array to subtract
  minusAt?: number[];
}

export const EXACT = 1, SAMPLED = 2, PARTIAL = 4, POINTS = 8;

export interface Tile {
  h: number;
  w: number;
  channels: number;
  flags: number;
  min: number;
  max: number;
  data: Float32Array | Float64Array | Uint8Array;
}

export interface Line {
  flags: number;
  from: number;
  step: number;
  lo: Float64Array;
  hi: Float64Array; // the same array as lo if the line consists of points instead of an envelope
}

export interface Rows {
  from: number;
  rows: string[][];
  columns: string[];
}

export interface Range {
  lo: number | null;
  hi: number | null;
  min: number | null;
  max: number | null;
  above0: number | null;
  sampled: boolean;
}

/** Outside counts the elements of a plane that are NaN or outside the range of the colours. */
export interface Outside {
  of: number;
  nan: number;
  below: number;
  above: number;
  sampled: boolean;
}

/** Summary is a statistic. Numbers that JSON cannot represent are strings; null means that there are no elements. */
export type Summary = number | "inf" | "-inf" | "nan" | null;

export interface Moments {
  count: number;
  nan: number;
  min: Summary;
  max: Summary;
  mean: Summary;
  std: Summary;
  least?: string; // exact min and max of 64-bit integers
  greatest?: string;
  average?: string; // float64 nearest to their mean
}

export interface Histogram {
  edges: number[];
  counts: number[];
  below: number;
  above: number;
}

export interface Job<T> {
  done: boolean;
  progress: number;
  error?: string;
  result?: T;
}

type Params = Record<string, string | number | null | undefined>;

export function query(sel: Sel | null, params: Params): string {
  const q = new URLSearchParams();
  if (sel) {
    for (const f of sel.field) q.append("field", f);
    if (sel.at.length) q.set("at", sel.at.join(","));
    if (sel.part) q.set("part", sel.part);
    if (sel.base !== "0") q.set("base", sel.base);
    if (sel.minus) {
      q.set("minus", sel.minus);
      if (sel.minusAt?.length) q.set("minusAt", sel.minusAt.join(","));
    }
  }
  for (const [k, v] of Object.entries(params)) if (v !== null && v !== undefined) q.set(k, String(v));
  const s = q.toString();
  return s ? "?" + s : "";
}

/**
 * ask sends a request with the key of this browser. The key is needed in addition to the cookie, which browsers also
 * send to other servers of this machine.
 */
export function ask(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(path, { ...init, headers: { ...init.headers, "X-NDMap": localStorage.getItem("npyview key") ?? "" } });
}

async function request(path: string, init: RequestInit): Promise<Response> {
  const r = await ask(path, init);
  if (r.ok) return r;
  let text = `${r.status} ${r.statusText}`;
  try {
    const body = await r.json();
    if (typeof body.error === "string") text = body.error;
  } catch {
    // No JSON: the message is only the status.
  }
  throw new Error(text);
}

export async function getJSON<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await request(path, { signal })).json();
}

export function arrayPath(id: string, what = ""): string {
  return `/api/array/${encodeURIComponent(id)}${what && "/" + what}`;
}

function info(x: Info): Info {
  return { ...x, shape: (x.shape ?? []).map(num), itemsize: num(x.itemsize), base: x.base || "0" };
}

/**
 * getInfo requests the description of an array. If ticks is set, times are described as the integers that store them.
 */
export async function getInfo(id: string, field: string[], signal?: AbortSignal, ticks = false): Promise<Info> {
  return info(await getJSON<Info>(arrayPath(id) + query({ field, at: [], part: "", base: "0" }, { ticks: ticks ? 1 : null }), signal));
}

/**
 * changes waits until the version of the array differs from version. It returns null if the server's time limit expires
 * first.
 */
export async function changes(id: string, field: string[], version: number, signal: AbortSignal): Promise<Info | null> {
  const r = await request(arrayPath(id, "changes") + query({ field, at: [], part: "", base: "0" }, { version }), { signal });
  return r.status === 204 ? null : info(await r.json());
}

export async function getTile(path: string, signal: AbortSignal): Promise<Tile> {
  const buf = await (await request(path, { signal })).arrayBuffer();
  const v = new DataView(buf);
  const bad = () => new Error("the response is incomplete; reload the page");
  if (buf.byteLength < 40 || v.getUint32(0, false) !== 0x4e445432) throw bad(); // NDT2
  const h = v.getUint32(4, true), w = v.getUint32(8, true), channels = v.getUint32(12, true);
  const n = h * w * channels;
  const size = [4, 1, 8][v.getUint32(20, true)];
  if (buf.byteLength !== 40 + n * size) throw bad();
  return {
    h, w, channels,
    flags: v.getUint32(16, true),
    min: v.getFloat64(24, true),
    max: v.getFloat64(32, true),
    data: size === 1 ? new Uint8Array(buf, 40, n) : floats(buf, 40, n, size),
  };
}

const little = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

function floats(buf: ArrayBuffer, off: number, n: number, size: number): Float32Array | Float64Array {
  if (little) return size === 8 ? new Float64Array(buf, off, n) : new Float32Array(buf, off, n);
  const v = new DataView(buf);
  if (size === 8) return Float64Array.from({ length: n }, (_, i) => v.getFloat64(off + 8 * i, true));
  return Float32Array.from({ length: n }, (_, i) => v.getFloat32(off + 4 * i, true));
}

export async function getLine(path: string, signal: AbortSignal): Promise<Line> {
  const buf = await (await request(path, { signal })).arrayBuffer();
  const v = new DataView(buf);
  const bad = () => new Error("the response is incomplete; reload the page");
  if (buf.byteLength < 32 || v.getUint32(0, false) !== 0x4e444c31) throw bad(); // NDL1
  const count = v.getUint32(4, true), flags = v.getUint32(8, true);
  const points = (flags & POINTS) !== 0;
  if (buf.byteLength !== 32 + count * (points ? 8 : 16)) throw bad();
  const read = (off: number) => Float64Array.from({ length: count }, (_, i) => v.getFloat64(off + 8 * i, true));
  const lo = read(32);
  return { flags, from: v.getFloat64(16, true), step: v.getFloat64(24, true), lo, hi: points ? lo : read(32 + 8 * count) };
}

/** runJob runs a job on the server and reports its progress. Aborting the signal also cancels the job on the server. */
export async function runJob<T>(id: string, body: object, progress: (p: number) => void, signal: AbortSignal): Promise<T> {
  const headers = { "Content-Type": "application/json" };
  const r = await request(arrayPath(id, "job"), { method: "POST", headers, body: JSON.stringify(body), signal });
  const path = "/api/job/" + encodeURIComponent((await r.json()).job);
  try {
    for (;;) {
      const j = await getJSON<Job<T>>(path + "?wait=1", signal);
      progress(j.progress);
      if (j.error) throw new Error(j.error);
      if (j.done) return j.result!;
    }
  } catch (err) {
    if (signal.aborted) ask(path, { method: "DELETE", keepalive: true }).catch(() => {});
    throw err;
  }
}

export function aborted(err: unknown): boolean {
  return err instanceof DOMException && err.name === "AbortError";
}

export function message(err: unknown): string {
  return err instanceof Error ? err.message : String(err);
}
