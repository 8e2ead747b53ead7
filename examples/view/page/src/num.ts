// Numbers as text, and ticks of scales. A base is a decimal integer as text. A 64-bit integer is represented by its
// difference from a base. For all other numbers, the base is "0".

/** num converts a number from the server, which sends integers above 2^53 as strings. */
export function num(x: number | string): number {
  return typeof x === "number" ? x : Number(x);
}

/** group formats an integer with narrow spaces between groups of three digits. */
export function group(x: number | string): string {
  const s = typeof x === "string" ? x : Number.isInteger(x) ? BigInt(x).toString() : String(x);
  return s.replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

/** full formats a number with all of its digits. */
export function full(x: number, base = "0"): string {
  if (base === "0" || !Number.isFinite(x)) return String(x).replace("e+", "e");
  const whole = Math.floor(x), fraction = x - whole;
  const text = (BigInt(base) + BigInt(whole)).toString();
  return fraction > 0 ? text + String(Number(fraction.toFixed(6))).slice(1) : text;
}

/** near formats a number with the fewest digits that distinguish it from numbers at a distance of span / 1000. */
export function near(x: number, span: number, base = "0"): string {
  if (base !== "0") return full(Math.round(x), base);
  if (!Number.isFinite(x) || (Number.isInteger(x) && Math.abs(x) < 1e15)) return full(x);
  for (let digits = 5; digits < 17; digits++) {
    const y = Number(x.toPrecision(digits));
    if (Math.abs(y - x) <= span * 1e-3 || y === x) return full(y);
  }
  return full(x);
}

/** read parses the output of full and near, or typed text. It returns null if the text is not a number. */
export function read(text: string, base = "0"): number | null {
  const s = text.replace(/[\s_\u202f\u2009]/g, "").replace("−", "-");
  if (s === "" || !Number.isFinite(Number(s))) return null;
  if (base === "0") return Number(s);
  return /^[-+]?\d+$/.test(s) ? Number(BigInt(s) - BigInt(base)) : Number(s) - Number(base);
}

/** rebase converts x, the difference from one base, to the difference from another base. */
export function rebase(x: number, from: string, to: string): number {
  return from === to ? x : x + Number(BigInt(from) - BigInt(to));
}

/** bytes formats a size with a suitable unit. */
export function bytes(n: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let i = 0;
  while (n >= 1024 && i < units.length - 1) {
    n /= 1024;
    i++;
  }
  return `${i === 0 ? n : n >= 100 ? n.toFixed(0) : n.toFixed(1)} ${units[i]}`;
}

/** percent formats a share from 0 to 1. It formats only exact shares of 0 and 1 as 0 % and 100 %. */
export function percent(n: number, of: number): string {
  const p = (100 * n) / Math.max(1, of);
  if (n === 0 || n === of) return `${n === 0 ? 0 : 100} %`;
  if (p < 0.01) return "< 0.01 %";
  if (p > 99.99) return "> 99.99 %";
  return `${p < 0.1 || p > 99.9 ? p.toFixed(2) : p < 10 || p > 90 ? p.toFixed(1) : p.toFixed(0)} %`;
}

/** fraction returns the position of x between lo (0) and hi (1). hi - lo may overflow. */
export function fraction(x: number, lo: number, hi: number): number {
  const span = hi - lo;
  return Number.isFinite(span) ? (x - lo) / span : (x / 2 - lo / 2) / (hi / 2 - lo / 2);
}

export interface Tick {
  at: number; // from 0 to 1
  text: string;
}

export interface Scale {
  ticks: Tick[];
  offset: string; // the number to add to the texts, or ""
}

/**
 * scale returns about n round ticks from lo to hi. Their distance is at least that of adjacent float64 numbers, and
 * their texts are distinct. The offset contains the leading digits that all ticks share. If whole is set, all ticks are
 * integers, unless there is none between lo and hi.
 */
export function scale(lo: number, hi: number, n: number, base = "0", whole = base !== "0"): Scale {
  if (!Number.isFinite(lo) || !Number.isFinite(hi)) return { ticks: [], offset: "" };
  if (!(hi > lo)) return { ticks: [{ at: 0.5, text: full(lo, base) }], offset: "" };
  const raw = Math.max((hi / 2 - lo / 2) / (Math.max(1, n) / 2), spacing(lo), spacing(hi), whole ? 1 : 0);
  let power = Math.floor(Math.log10(raw)), digit = [1, 2, 5, 10].find((m) => Number(`${m}e${power}`) >= raw * 0.999) ?? 10;
  if (digit === 10) [digit, power] = [1, power + 1];
  const numbers: { at: number; n: bigint }[] = []; // n × 10^power
  const place = (x: number) => Math.min(1, Math.max(0, fraction(x, lo, hi)));
  if (base === "0") {
    const step = Number(`${digit}e${power}`), last = Math.floor(hi / step + 1e-9);
    for (let k = Math.ceil(lo / step - 1e-9); k <= last && numbers.length < 100; k++) {
      const n = BigInt(k) * BigInt(digit);
      numbers.push({ at: place(Number(`${n}e${power}`)), n });
    }
  } else {
    // Integers have integer steps, so count in ones.
    const b = BigInt(base), step = BigInt(digit) * 10n ** BigInt(power);
    const least = b + BigInt(Math.ceil(lo)), most = b + BigInt(Math.floor(hi)), over = ((least % step) + step) % step;
    for (let n = over ? least + step - over : least; n <= most && numbers.length < 100; n += step) numbers.push({ at: place(Number(n - b)), n });
    power = 0;
  }
  if (numbers.length === 0) return { ticks: [{ at: 0, text: near(lo, hi - lo, base) }, { at: 1, text: near(hi, hi - lo, base) }], offset: "" };
  if (numbers.length < 2 && n < 16) { // one tick does not define a scale
    const finer = scale(lo, hi, 2 * Math.max(1, n), base, whole);
    if (finer.ticks.length > 1) return finer;
  }
  const texts = numbers.map((t) => brief(t.n, power));
  if (texts.every((t) => t.length <= 8)) return { ticks: numbers.map((t, i) => ({ at: t.at, text: texts[i] })), offset: "" };
  const least = numbers[0].n, most = numbers[numbers.length - 1].n;
  const unit = 10n ** BigInt((most - least + BigInt(digit)).toString().length);
  const offset = (least >= 0n ? least / unit : -((-least + unit - 1n) / unit)) * unit;
  if (offset === 0n) return { ticks: numbers.map((t, i) => ({ at: t.at, text: texts[i] })), offset: "" };
  return { ticks: numbers.map((t) => ({ at: t.at, text: brief(t.n - offset, power) })), offset: decimal(offset, power).replace(/\.0+$/, "") };
}

/** spacing returns the distance from x to the adjacent float64. */
function spacing(x: number): number {
  const a = Math.abs(x);
  return a < 2 ** -1021 ? 5e-324 : 2 ** (Math.floor(Math.log2(a)) - 52);
}

/** brief formats n × 10^power exactly, with or without an exponent, whichever is shorter. */
function brief(n: bigint, power: number): string {
  if (n === 0n) return "0";
  const plain = Math.abs(power) < 25 ? decimal(n, power).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "") : "";
  const sign = n < 0n ? "-" : "", digits = (n < 0n ? -n : n).toString(), mantissa = digits.replace(/0+$/, "");
  const e = digits.length - 1 + power;
  const short = sign + mantissa[0] + (mantissa.length > 1 ? "." + mantissa.slice(1) : "") + "e" + e;
  return plain && (plain.length <= 7 || plain.length <= short.length) ? plain : short;
}

/** decimal formats n × 10^power exactly and without an exponent, unless that is too long. */
function decimal(n: bigint, power: number): string {
  if (power > 30 || power < -30) return full(Number(`${n}e${power}`));
  if (power >= 0) return (n * 10n ** BigInt(power)).toString();
  const digits = (n < 0n ? -n : n).toString().padStart(1 - power, "0"), cut = digits.length + power;
  return (n < 0n ? "-" : "") + digits.slice(0, cut) + "." + digits.slice(cut);
}

/** indices returns about n round indices from lo to hi. */
export function indices(lo: number, hi: number, n: number): number[] {
  if (!(hi > lo) || n < 1) return [];
  const raw = Math.max(1, (hi - lo) / n), power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.999)!;
  const out: number[] = [];
  for (let k = Math.ceil(lo / step); k * step <= hi && out.length < 200; k++) out.push(k * step);
  return out;
}

export function clamp(x: number, lo: number, hi: number): number {
  return x < lo ? lo : x > hi ? hi : x;
}
