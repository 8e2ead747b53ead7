// Numbers as text.

/** num reads a number of the server's: those above 2^53 come as decimal strings. */
export function num(x: number | string): number {
  return typeof x === "number" ? x : Number(x);
}

/** group writes an integer with narrow spaces between groups of three digits. */
export function group(x: number | string): string {
  const s = typeof x === "string" ? x : Number.isInteger(x) ? BigInt(x).toString() : String(x);
  return s.replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

/** short writes a number with about five digits. */
export function short(x: number): string {
  if (x === 0 || !Number.isFinite(x)) return String(x);
  const a = Math.abs(x);
  if (Number.isInteger(x) && a < 1e6) return String(x);
  if (a >= 1e6 || a < 1e-4) return x.toExponential(3).replace(/\.?0+e/, "e").replace("e+", "e");
  return String(Number(x.toPrecision(5)));
}

/** bytes writes a size in the unit that suits it. */
export function bytes(n: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let i = 0;
  while (n >= 1024 && i < units.length - 1) {
    n /= 1024;
    i++;
  }
  return `${i === 0 ? n : n >= 100 ? n.toFixed(0) : n.toFixed(1)} ${units[i]}`;
}

/** ticks returns round numbers from lo to hi, at most n or so. */
export function ticks(lo: number, hi: number, n: number): number[] {
  const span = hi - lo;
  if (!(span > 0) || !Number.isFinite(span) || n < 1) return [];
  const raw = span / n;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.999)!;
  const out: number[] = [];
  for (let k = Math.ceil(lo / step - 1e-9); k * step <= hi + step * 1e-9 && out.length < 200; k++) out.push(k * step);
  return out;
}

/** tickText writes a tick with as many digits as tell it from its neighbours. */
export function tickText(x: number, step: number): string {
  if (Math.abs(x) < step * 1e-6) return "0";
  const a = Math.abs(x);
  if (a >= 1e6 || a < 1e-4) {
    const digits = Math.max(0, Math.min(6, Math.floor(Math.log10(a)) - Math.floor(Math.log10(step) + 1e-9)));
    return x.toExponential(digits).replace("e+", "e");
  }
  return x.toFixed(Math.max(0, Math.min(12, -Math.floor(Math.log10(step) + 1e-9))));
}

export function clamp(x: number, lo: number, hi: number): number {
  return x < lo ? lo : x > hi ? hi : x;
}
