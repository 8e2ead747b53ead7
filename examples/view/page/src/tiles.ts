// The tiles of an image: requests, cache, and conversion to colours.

import { aborted, arrayPath, getTile, PARTIAL, query, type Sel, type Tile } from "./api";
import { bad, kindColours, lut, positions } from "./colors";
import { fraction } from "./num";
import type { Norm } from "./scales";

export const SIDE = 256;

/** Layer holds the properties that all tiles of a picture share. */
export interface Layer {
  id: string;
  version: number;
  sel: Sel;
  y: number;
  x: number;
  how: string;
  channels: number; // the axis of the colours, or -1
}

export interface Place {
  ly: number;
  lx: number;
  row: number;
  col: number;
}

export interface Paint extends Norm {
  map: string;
  kinds?: number[]; // integers with their own colours, instead of a range
  top?: number; // alpha value of opaque pixels, if the elements are colours
}

interface Kept {
  tile: Tile;
  bytes: number;
  refined: number;
  canvas?: HTMLCanvasElement;
  paint?: string;
}

const maxBytes = 96 << 20; // limit of tiles and their pictures
const maxRequests = 4; // browsers have six connections per server; two wait for changes and jobs
const stillFor = 400; // time in ms after which an unchanged view is refined
const maxRefined = 3; // maximum number of requests that refine a tile

export class Tiles {
  private kept = new Map<string, Kept>(); // least recently used first
  private bytes = 0;
  private running = new Map<string, AbortController>();
  private failed = new Set<string>();
  private still = false; // the view has not moved for a while, so refine tiles
  private timer = 0;
  private wanted: { layer: Layer; place: Place; key: string }[] = [];
  private ahead: { layer: Layer; place: Place; key: string }[] = []; // tiles of the next frame

  constructor(private arrived: () => void, private fail: (err: unknown) => void) {}

  static layerKey(l: Layer): string {
    const at = l.sel.at.map((i, k) => (k === l.y || k === l.x || k === l.channels ? "" : i));
    return JSON.stringify([l.id, l.version, l.sel.field, at, l.sel.part, l.sel.base, l.sel.minus, l.sel.minusAt, l.y, l.x, l.how, l.channels]);
  }

  static key(layer: string, p: Place): string {
    return `${layer} ${p.ly} ${p.lx} ${p.row} ${p.col}`;
  }

  find(key: string): Tile | null {
    const k = this.kept.get(key);
    if (!k) return null;
    this.kept.delete(key);
    this.kept.set(key, k);
    return k.tile;
  }

  /** hopeful reports whether a tile may still arrive. */
  hopeful(key: string): boolean {
    return !this.kept.has(key) && !this.failed.has(key);
  }

  /** waiting reports whether a wanted tile has neither arrived nor failed. It ignores refinements. */
  get waiting(): boolean {
    return this.wanted.some((w) => this.hopeful(w.key));
  }

  /**
   * want sets the tiles to request, the most urgent ones first, and aborts other requests. Tiles of the layer next are
   * requested last.
   */
  want(layer: Layer, places: Place[], next: Layer | null = null) {
    const lk = Tiles.layerKey(layer), nk = next && Tiles.layerKey(next);
    this.ahead = next && nk !== lk ? places.map((place) => ({ layer: next, place, key: Tiles.key(nk!, place) })) : [];
    const before = this.wanted.map((w) => w.key).join();
    this.wanted = places.map((place) => ({ layer, place, key: Tiles.key(lk, place) }));
    const keys = new Set([...this.wanted, ...this.ahead].map((w) => w.key));
    for (const [key, ctl] of this.running) {
      if (!keys.has(key)) {
        ctl.abort();
        this.running.delete(key);
      }
    }
    if (this.wanted.map((w) => w.key).join() !== before) {
      this.still = false;
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => {
        this.still = true;
        this.pump();
      }, stillFor);
    }
    this.pump();
  }

  stop() {
    this.wanted = this.ahead = [];
    clearTimeout(this.timer);
    for (const ctl of this.running.values()) ctl.abort();
    this.running.clear();
  }

  /** forget forgets failed requests, so that they are repeated. */
  forget() {
    this.failed.clear();
  }

  private pump() {
    const start = (refine: boolean, wanted = this.wanted) => {
      for (const w of wanted) {
        if (this.running.size >= (refine ? maxRequests / 2 : maxRequests)) return;
        const k = this.kept.get(w.key);
        if (this.running.has(w.key) || this.failed.has(w.key)) continue;
        if (!k ? !refine : refine && (k.tile.flags & PARTIAL) !== 0 && k.refined < maxRefined) this.fetch(w.layer, w.place, w.key, refine);
      }
    };
    start(false);
    if (!this.waiting) start(false, this.ahead);
    if (this.still && !this.waiting) start(true);
  }

  private async fetch(l: Layer, p: Place, key: string, refine: boolean) {
    const ctl = new AbortController();
    this.running.set(key, ctl);
    const path = arrayPath(l.id, "tile") + query(l.sel, {
      y: l.y, x: l.x, level: p.lx, ylevel: p.ly === p.lx ? null : p.ly, row: p.row, col: p.col, how: l.how,
      channels: l.channels < 0 ? null : l.channels, refine: refine ? 1 : null,
    });
    try {
      const tile = await getTile(path, ctl.signal);
      const refined = refine ? (this.kept.get(key)?.refined ?? 0) + 1 : 0;
      const bytes = tile.data.byteLength + 4 * tile.w * tile.h;
      this.drop(key);
      this.kept.set(key, { tile, bytes, refined });
      this.bytes += bytes;
      for (const old of this.kept.keys()) {
        if (this.bytes <= maxBytes) break;
        this.drop(old);
      }
    } catch (err) {
      if (aborted(err) || ctl.signal.aborted) return; // the code that aborted has removed it from running
      this.failed.add(key);
      this.fail(err);
    }
    if (this.running.get(key) === ctl) this.running.delete(key);
    this.arrived();
    this.pump();
  }

  private drop(key: string) {
    this.bytes -= this.kept.get(key)?.bytes ?? 0;
    this.kept.delete(key);
  }

  /** picture returns a canvas with the colours of a tile. */
  picture(key: string, paint: Paint): HTMLCanvasElement | null {
    const k = this.kept.get(key);
    if (!k || k.tile.w === 0 || k.tile.h === 0) return null;
    const want = k.tile.channels > 1 ? `rgb ${paint.lo} ${paint.hi}` : `${paint.map} ${paint.kinds ?? `${paint.lo} ${paint.hi} ${paint.scale} ${paint.gamma}`}`;
    if (k.canvas && k.paint === want) return k.canvas;
    k.canvas ??= document.createElement("canvas");
    k.canvas.width = k.tile.w;
    k.canvas.height = k.tile.h;
    k.canvas.getContext("2d")!.putImageData(colour(k.tile, paint), 0, 0);
    k.paint = want;
    return k.canvas;
  }
}

function colour(t: Tile, p: Paint): ImageData {
  const img = new ImageData(t.w, t.h);
  const out = img.data, n = t.w * t.h, d = t.data;
  if (t.channels > 1) {
    const c = t.channels, to = (x: number, lo: number, hi: number) => 255 * fraction(x, lo, hi); // ImageData clamps
    for (let i = 0; i < n; i++) {
      for (let k = 0; k < 3; k++) out[4 * i + k] = to(d[c * i + k], p.lo, p.hi);
      out[4 * i + 3] = c > 3 ? to(d[c * i + 3], 0, p.top ?? 255) : 255;
      const sum = d[c * i] + d[c * i + 1] + d[c * i + 2];
      if (sum !== sum) out.set([...bad(p.map), 255], 4 * i);
    }
    return img;
  }
  const table = lut(p.map), none = bad(p.map), position = positions(p);
  const colours = p.kinds && kindColours(p.kinds), own = p.kinds && new Map(p.kinds.map((x, k) => [x, colours![k]]));
  for (let i = 0; i < n; i++) {
    const x = d[i];
    if (own) out.set(own.get(x) ?? none, 4 * i);
    else if (x !== x) {
      out[4 * i] = none[0];
      out[4 * i + 1] = none[1];
      out[4 * i + 2] = none[2];
    } else {
      const c = 3 * position(x);
      out[4 * i] = table[c];
      out[4 * i + 1] = table[c + 1];
      out[4 * i + 2] = table[c + 2];
    }
    out[4 * i + 3] = 255;
  }
  return img;
}
