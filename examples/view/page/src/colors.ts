// Colour maps of 256 colours.

import {
  interpolateCividis, interpolateGreys, interpolateInferno, interpolateMagma,
  interpolatePlasma, interpolatePuOr, interpolateRainbow, interpolateRdBu, interpolateSinebow, interpolateViridis,
} from "d3-scale-chromatic";

import { placer, type Norm } from "./scales";

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
  sinebow: interpolateSinebow,
};

/** categorical is a map for a few integers, each of which has its own colour. */
export const categorical = "categorical";

export const maps = [...Object.keys(scales), categorical];

const reversed = " reversed";

/** mapName returns the name under which lut and bad know the map of the view. */
export function mapName(v: { map: string; reversed: boolean }): string {
  return v.map + (v.reversed && v.map !== categorical ? reversed : "");
}

/** cyclic is a map for angles. Both ends have the same colour. */
export const cyclic = "cyclic";

/** diverging reports whether a map has a middle colour, which denotes zero. */
export function diverging(name: string): boolean {
  return name.includes("–");
}

const cache = new Map<string, Uint8Array>();

/** lut returns the lookup table of a map: 256 colours of three bytes. */
export function lut(name: string): Uint8Array {
  let t = cache.get(name);
  if (!t) {
    t = new Uint8Array(768);
    const back = name.endsWith(reversed), scale = scales[back ? name.slice(0, -reversed.length) : name] ?? interpolateViridis;
    for (let i = 0; i < 256; i++) t.set(rgb(scale((back ? 255 - i : i) / 255)), 3 * i);
    cache.set(name, t);
  }
  return t;
}

// rgb parses #rrggbb and rgb(r, g, b), the formats of the scales.
function rgb(s: string): [number, number, number] {
  if (s[0] === "#") {
    const n = parseInt(s.slice(1), 16);
    return [n >> 16, (n >> 8) & 255, n & 255];
  }
  const m = s.match(/[\d.]+/g)!.map(Number);
  return [m[0], m[1], m[2]];
}

/**
 * positions returns a function that maps a number to one of the 256 colours. Numbers outside the range have the colours
 * of the ends.
 */
export function positions(n: Norm): (x: number) => number {
  const { lo, hi } = n;
  if (!(hi > lo)) return (x) => (x < lo ? 0 : x > hi ? 255 : 128);
  const place = placer(n);
  return (x) => {
    const t = place(x) * 256;
    return t <= 0 ? 0 : t >= 255 ? 255 : Math.floor(t);
  };
}

/** kinds are the first colours of the categorical map: ten distinct ones, then lighter ones of the same hues. */
const kinds = ["#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#4d4d4d", "#bcbd22", "#17becf",
  "#aec7e8", "#ffbb78", "#98df8a", "#ff9896", "#c5b0d5", "#c49c94", "#f7b6d2", "#c7c7c7", "#dbdb8d", "#9edae5"].map(rgb);

/**
 * kindColours returns the colours of ascending integers. If they are more than the colours of the list and begin with 0,
 * which is the background of labels, 0 is nearly black.
 */
export function kindColours(values: number[]): [number, number, number][] {
  const background = values.length > kinds.length && values[0] === 0;
  return values.map((_, i) => (background ? (i === 0 ? [32, 32, 32] : kind(i - 1)) : kind(i)));
}

// kind returns colour i of the list. Beyond its end, each hue is far from the previous ones, and the lightness differs
// from the last two.
function kind(i: number): [number, number, number] {
  return kinds[i] ?? hsl((i * 137.508) % 360, 0.62, [0.42, 0.56, 0.72][i % 3]);
}

/** hsl converts a hue in degrees, a saturation and a lightness to RGB. */
function hsl(hue: number, saturation: number, lightness: number): [number, number, number] {
  const a = saturation * Math.min(lightness, 1 - lightness);
  const part = (n: number) => {
    const k = (n + hue / 30) % 12;
    return Math.round(255 * (lightness - a * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [part(0), part(8), part(4)];
}

/** bad returns the colour of NaN: grey, or mauve if the map contains greys. */
export function bad(map: string): [number, number, number] {
  return map.startsWith("grey") || map.startsWith("cividis") ? [200, 120, 160] : [150, 142, 146];
}

/** lines are the colours of lines. They can be distinguished with any colour vision, on light and dark backgrounds. */
export const lines = ["#2f7ebc", "#d9782d", "#1a9a74", "#b9589a", "#a58a00", "#5fb3d9", "#c0443c", "#8576c9"];
