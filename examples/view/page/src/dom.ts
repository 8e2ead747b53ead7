// Functions that create elements. Text goes into text nodes, so text from files cannot become markup. Nothing in this
// program assigns innerHTML.

type Child = Node | string | null | undefined | false;
type Attrs = Record<string, string | number | boolean | EventListener | null | undefined>;

/**
 * h creates an element. Attributes whose names begin with "on" are listeners. The value true sets an attribute without
 * a value, and false omits the attribute.
 */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, attrs: Attrs = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const el = document.createElement(tag);
  set(el, attrs);
  for (const c of children) if (c) el.append(c);
  return el;
}

function set(el: Element, attrs: Attrs) {
  for (const [k, v] of Object.entries(attrs)) {
    if (v === null || v === undefined || v === false) continue;
    if (typeof v === "function") el.addEventListener(k.slice(2), v);
    else el.setAttribute(k, v === true ? "" : String(v));
  }
}

/** icon creates a 24 × 24 line icon from path data. */
export function icon(d: string): SVGSVGElement {
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  set(svg, { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" });
  const path = document.createElementNS(ns, "path");
  path.setAttribute("d", d);
  svg.append(path);
  return svg;
}

export const icons = {
  menu: "M4 6h16M4 12h16M4 18h16",
  tune: "M4 7h10M18 7h2M4 17h2M10 17h10M16 4.5v5M8 14.5v5",
  sun: "M12 4V2M12 22v-2M4 12H2M22 12h-2M6.3 6.3 4.9 4.9M19.1 19.1l-1.4-1.4M6.3 17.7l-1.4 1.4M19.1 4.9l-1.4 1.4M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  save: "M12 4v11M7 11l5 5 5-5M4 20h16",
  swap: "M7 4v13M3.5 13.5 7 17l3.5-3.5M17 20V7M13.5 10.5 17 7l3.5 3.5",
  play: "M7 4.5v15l12-7.5z",
  pause: "M8 5v14M16 5v14",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  close: "M6 6l12 12M18 6 6 18",
  pin: "M12 21s7-6.3 7-11a7 7 0 1 0-14 0c0 4.7 7 11 7 11zM12 7.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z",
};

/** button creates a button with an icon and an accessible name. */
export function button(name: string, key: string, d: string, press: () => void, attrs: Attrs = {}): HTMLButtonElement {
  return h("button", {
    type: "button", class: "tool", "aria-label": name, title: key ? `${name} (${key})` : name,
    onclick: press, ...attrs,
  }, icon(d));
}

/** choose sets the options of a select and its value. */
export function choose(el: HTMLSelectElement, options: [value: string, text: string][], value: string) {
  const have = [...el.options].map((o) => o.value + "\0" + o.text).join("\n");
  if (have !== options.map(([v, t]) => v + "\0" + t).join("\n")) {
    el.replaceChildren(...options.map(([v, t]) => h("option", { value: v }, t)));
  }
  el.value = value;
}

/** css returns a custom property of the page's theme. */
export function css(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** print calls draw while canvases have a higher resolution, for a picture to be saved. */
export function print(finer: number, draw: () => void) {
  printing = finer;
  try {
    draw();
  } finally {
    printing = 1;
  }
}
let printing = 1;

/** Sheet is a context to draw on, with its size in CSS pixels. */
export interface Sheet {
  g: CanvasRenderingContext2D;
  w: number;
  h: number;
  dpr: number; // pixels per CSS pixel
  dx: number; // distances in pixels between the exact and the rounded position
  dy: number;
}

/**
 * fitCanvas sets the resolution of a canvas to the pixels of the screen below it, and returns a context with CSS pixels
 * as units. The edges are rounded to screen pixels like in browsers, because the browser would scale a canvas of a
 * different size and mix its colours. dx and dy are the distances in screen pixels between the exact and the rounded
 * position of the canvas.
 */
export function fitCanvas(canvas: HTMLCanvasElement): Sheet {
  const dpr = Math.min(window.devicePixelRatio || 1, 3) * printing;
  const w = Math.max(1, canvas.clientWidth), hh = Math.max(1, canvas.clientHeight);
  const r = canvas.getBoundingClientRect(), pixels = (from: number, to: number) => Math.max(1, Math.round(to * dpr) - Math.round(from * dpr));
  const pw = pixels(r.left, r.right), ph = pixels(r.top, r.bottom);
  if (canvas.width !== pw || canvas.height !== ph) {
    canvas.width = pw;
    canvas.height = ph;
  }
  const g = canvas.getContext("2d")!;
  g.setTransform(dpr, 0, 0, dpr, 0, 0);
  const beyond = (t: number) => t * dpr - Math.round(t * dpr);
  return { g, w, h: hh, dpr, dx: beyond(r.left), dy: beyond(r.top) };
}
