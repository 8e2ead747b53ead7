// The table of keys.

import { h } from "./dom";

export const keys: [string, string][] = [
  ["?", "this help"],
  ["i  l  b", "image, lines, table"],
  ["← → ↑ ↓", "pan; in the table: move"],
  ["⇧ ← → ↑ ↓", "move the cursor by an element; in the table: select"],
  ["+  −  0  1", "zoom in, out, all, one to one"],
  ["[  ]", "the axis before, the axis after"],
  [",  .", "one index back, one forward, on that axis"],
  ["space", "play that axis"],
  ["t", "swap the axes"],
  ["c", "the next colour map"],
  ["r", "colour range of this frame, of all frames"],
  ["ctrl c", "copy the value, or the cells that are selected"],
  ["m", "mean, min, max"],
  ["p", "keep this line; in the image: the one through the cursor"],
  ["h", "histogram and moments"],
  ["g", "go to a row"],
  ["o", "what is open"],
  ["y  s", "copy as code, save"],
  ["d", "light or dark"],
  ["esc", "close what is open"],
];

export function help(): HTMLDialogElement {
  const d = h("dialog", { class: "help", "aria-labelledby": "help-title" },
    h("h2", { id: "help-title" }, "Keys"),
    h("dl", {}, ...keys.flatMap(([k, t]) => [h("dt", {}, ...k.split(/\s+/).map((s) => h("kbd", {}, s))), h("dd", {}, t)])),
    h("p", { class: "dim small" }, "Wheel or two fingers zoom, dragging pans, a double click zooms in. The address of the page reproduces the view."),
    h("form", { method: "dialog" }, h("button", { class: "main" }, "Close")));
  d.addEventListener("click", (e) => {
    if (e.target === d) d.close();
  });
  return d;
}
