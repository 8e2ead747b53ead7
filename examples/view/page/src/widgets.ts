// The parts that controls consist of.

import { h } from "./dom";
import { full, read } from "./num";

/** select creates a select element. dom.choose sets its options. */
export function select(name: string, changed: (value: string) => void): HTMLSelectElement {
  const el = h("select", { "aria-label": name, title: name, onchange: () => changed(el.value) });
  return el;
}

/** number creates a field for a number, which is shown relative to base. Invalid input calls changed with null. */
export function number(name: string, changed: (x: number | null) => void, base = () => "0"): HTMLInputElement {
  const el = h("input", { type: "text", inputmode: "decimal", "aria-label": name, title: name, onchange: () => changed(read(el.value, base())) });
  return el;
}

export function check(text: string, changed: (on: boolean) => void): HTMLLabelElement {
  const box = h("input", { type: "checkbox", onchange: () => changed(box.checked) });
  return h("label", { class: "check" }, box, text);
}

export function tick(el: HTMLLabelElement, on: boolean) {
  (el.firstChild as HTMLInputElement).checked = on;
}

export function label(text: string, ...el: Node[]): HTMLLabelElement {
  return h("label", { class: "field" }, h("span", {}, text), ...el);
}

export function section(name: string, title: string, ...children: (Node | string)[]): HTMLElement {
  return h("section", { "data-section": name }, title ? h("h2", {}, title) : null, ...children);
}

/** fill sets the text of a field, unless a user is typing in it. */
export function fill(el: HTMLInputElement, text: string | number, still: boolean) {
  if (document.activeElement !== el || still) el.value = typeof text === "number" ? full(text) : text;
}
