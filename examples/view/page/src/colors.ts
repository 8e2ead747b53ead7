// Colour maps: 256 colours each, perceptually uniform.

import {
  interpolateCividis, interpolateGreys, interpolateInferno, interpolateMagma,
  interpolatePlasma, interpolatePuOr, interpolateRainbow, interpolateRdBu, interpolateViridis,
} from "d3-scale-chromatic";

import { fraction } from "./num";

const scales: Record<string, (t: number) => string> = {
  viridis: interpolateViridis,
  cividis: interpolateCividis,
  magma: interpolateMagma,
  inferno: interpolateInferno,
  plasma: interpolatePlasma,
  grey: (t) => interpolateGreys(1 - t),
  "red–blue": (t) => interpolateRdBu(1 - t),
  "orange–purple": (t) => interpolatePuOr(1 - t),
  cyclic: interpolateRainbow,
};

export const maps = Object.keys(scales);

/** cyclic is the map whose ends are the same colour, for angles. */
export const cyclic = "cyclic";

/** diverging says whether a map has a middle, which belongs to zero. */
export function diverging(name: string): boolean {
  return name.includes("–");
}

const cache = new Map<string, Uint8Array>();

/** lut returns the 256 colours of a map, three bytes each. */
export function lut(name: string): Uint8Array {
  let t = cache.get(name);
  if (!t) {
    t = new Uint8Array(768);
    for (let i = 0; i < 256; i++) t.set(rgb((scales[name] ?? interpolateViridis)(i / 255)), 3 * i);
    cache.set(name, t);
  }
  return t;
}

// rgb reads #rrggbb and rgb(r, g, b), which is what the scales answer.
function rgb(s: string): [number, number, number] {
  if (s[0] === "#") {
    const n = parseInt(s.slice(1), 16);
    return [n >> 16, (n >> 8) & 255, n & 255];
  }
  const m = s.match(/[\d.]+/g)!.map(Number);
  return [m[0], m[1], m[2]];
}

/** position says which of the 256 colours x has in [lo, hi]. */
export function position(x: number, lo: number, hi: number): number {
  if (!(hi > lo)) return x < lo ? 0 : x > hi ? 255 : 128;
  const t = fraction(x, lo, hi) * 256;
  return t <= 0 ? 0 : t >= 255 ? 255 : Math.floor(t);
}

/** bad is the colour of NaN: a grey, or mauve where the map has greys. */
export function bad(map: string): [number, number, number] {
  return map === "grey" || map === "cividis" ? [200, 120, 160] : [150, 142, 146];
}

/** lines are the colours of lines: told apart with any colour vision, on light and on dark. */
export const lines = ["#2f7ebc", "#d9782d", "#1a9a74", "#b9589a", "#a58a00", "#5fb3d9", "#c0443c", "#8576c9"];
