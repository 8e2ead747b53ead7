// The commands of the keys, and their descriptions for the help.

import { maps } from "./colors";
import { h } from "./dom";
import type { App } from "./main";
import { toggleTheme } from "./theme";

interface Command {
  keys: string; // names of the keys in the help, separated by spaces
  text: string;
  does?: Record<string, (app: App) => void | false>; // functions by key; they return false if the key has no effect in this mode
}

const commands: Command[] = [
  { keys: "?", text: "this help", does: { "?": (app) => app.help.showModal() } },
  { keys: "i l b e", text: "image, lines, table, tree", does: { e: (app) => app.setMode("tree"), i: (app) => app.setMode("image"), l: (app) => app.setMode("lines"), b: (app) => app.setMode("table") } },
  { keys: "← → ↑ ↓", text: "pan; in the table and the tree: move; in the tree, → expands and ← collapses" },
  { keys: "⇧ ← → ↑ ↓", text: "move the cursor by an element; in the table: select" },
  { keys: "+ − 0 1", text: "zoom in, out, all, one to one" },
  { keys: "[ ]", text: "previous axis, next axis", does: { "[": (app) => app.sliders.next(-1), "]": (app) => app.sliders.next(1) } },
  { keys: ", .", text: "one index back, one forward, on that axis", does: { ",": (app) => app.sliders.move(-1), ".": (app) => app.sliders.move(1) } },
  { keys: "space", text: "play that axis", does: { " ": (app) => void app.sliders.play.toggle() } },
  { keys: "< >", text: "play slower, faster", does: { "<": (app) => app.sliders.play.change(-1), ">": (app) => app.sliders.play.change(1) } },
  { keys: "t", text: "swap the axes", does: { t: (app) => app.controls.swapAxes() } },
  { keys: "f F", text: "first row at the bottom; first column at the right", does: { f: (app) => app.change({ flipY: !app.view.flipY }), F: (app) => app.change({ flipX: !app.view.flipX }) } },
  { keys: "c", text: "the next colour map", does: { c: (app) => app.change({ map: maps[(maps.indexOf(app.view.map) + 1) % maps.length] }) } },
  { keys: "n R", text: "the next scale, of the colours or of y; the map reversed", does: { n: (app) => app.nextScale(), R: (app) => app.change({ reversed: !app.view.reversed }) } },
  { keys: "r", text: "colour range of this frame, of all frames", does: { r: (app) => app.controls.colours.nextRange() } },
  { keys: "ctrl c", text: "copy the value, or the selected cells" },
  { keys: "m", text: "mean, min, max", does: { m: (app) => app.change({ how: { mean: "min", min: "max" }[app.view.how] ?? "mean" }) } },
  { keys: "p", text: "keep this line; in the image: the line through the cursor", does: { p: (app) => app.keepLine() } },
  { keys: "tab", text: "in the image: to the box; then arrows move it, and shift and arrows resize it" },
  { keys: "x v", text: "in the image: begin a box or a line at the cursor; again: complete it", does: { x: (app) => app.corner("box"), v: (app) => app.corner("line") } },
  { keys: "w", text: "compare with another array: side by side, in turns, difference", does: { w: (app) => app.compare.next() } },
  { keys: "h", text: "histogram and statistics", does: { h: (app) => app.controls.measure() } },
  { keys: "g", text: "go to a row", does: { g: (app) => (app.view.mode === "table" ? app.controls.askRow() : false) } },
  { keys: "o", text: "open files", does: { o: (app) => app.sources.focus() } },
  { keys: "y s", text: "copy as code, save", does: { y: (app) => void app.saving.copy(), s: (app) => app.saving.open() } },
  { keys: "d", text: "light or dark", does: { d: (app) => { toggleTheme(); app.rethemed(); } } },
  { keys: "esc", text: "close a dialog or a side panel; remove the box, then the line" },
];

const does = Object.assign({}, ...commands.map((c) => c.does)) as Record<string, (app: App) => void | false>;

/** help creates the dialog that lists the keys. */
export function help(): HTMLDialogElement {
  const d = h("dialog", { class: "help", "aria-labelledby": "help-title" },
    h("h2", { id: "help-title" }, "Keys"),
    h("dl", {}, ...commands.flatMap((c) => [h("dt", {}, ...c.keys.split(" ").map((s) => h("kbd", {}, s))), h("dd", {}, c.text)])),
    h("p", { class: "dim small" }, "Wheel or two fingers zoom, dragging pans, with shift it draws a box, with ctrl a line across; edges, corners and inside of a box can be dragged; a double click zooms in. The address of the page reproduces the view."),
    h("form", { method: "dialog" }, h("button", { class: "main" }, "Close")));
  d.addEventListener("click", (e) => {
    if (e.target === d) d.close();
  });
  return d;
}

/** press runs the command of a key, unless the focused element handles the key. */
export function press(app: App, e: KeyboardEvent) {
  if ((e.ctrlKey || e.metaKey) && e.key === "c" && !e.altKey && !(e.target as Element).matches("input, textarea") && getSelection()?.isCollapsed !== false) {
    e.preventDefault();
    app.saving.copyElements();
    return;
  }
  if (e.ctrlKey && !["Home", "End"].includes(e.key) || e.altKey || e.metaKey) return;
  const t = e.target as HTMLElement;
  const typing = t.matches("input:not([type=range]):not([type=checkbox])");
  if (e.key === "Escape") {
    if (document.querySelector("dialog[open]") || app.closeDrawers() || t.matches("select")) return;
    if (typing) app.pane.focus();
    else if (app.view.mode === "image") app.image.escape();
    return;
  }
  if (document.querySelector("dialog[open]") || typing) return;
  const widget = t.matches("select, input, summary, button, [role=tab], [role=slider]");
  if (t.matches("[role=tab]") && (e.key === "ArrowLeft" || e.key === "ArrowRight")) {
    app.head.nextTab(t as HTMLButtonElement, e.key === "ArrowLeft" ? -1 : 1);
    e.preventDefault();
    return;
  }
  // Selects use letters and arrows, sliders arrows, buttons space and enter.
  if (t.matches("select") || (widget && (e.key.startsWith("Arrow") || ["Home", "End", "PageUp", "PageDown", " ", "Enter"].includes(e.key)))) return;
  if (app.pane.key(e) || (Object.hasOwn(does, e.key) && does[e.key](app) !== false)) e.preventDefault();
}
