// Export: the selection as code, the picture, and elements as files or in the clipboard.

import { arrayPath, ask, getJSON, message, query } from "./api";
import { axisName } from "./axes";
import { h } from "./dom";
import type { App } from "./main";
import { canRecord, record } from "./movie";
import { drawing, picture } from "./picture";
import { sel } from "./state";
import { cells, csv, tsv, type Part } from "./text";

export class Saving {
  private code = h("dialog", { class: "code", "aria-label": "copy as code" });
  private save = h("dialog", { class: "save", "aria-label": "save" });
  readonly els = [this.code, this.save];

  constructor(private app: App) {}

  // regionQuery returns the parameters that select the elements on screen.
  private regionQuery(): string {
    const seen = this.app.pane.visible(), s = sel(this.app.view);
    return query(s, seen ? { y: seen.y, x: seen.x, ...seen.region } : { y: -1, x: -1 });
  }

  /** copy shows code that selects the elements on screen. */
  async copy() {
    const a = this.app.info;
    if (!a || this.app.view.mode === "tree") return;
    try {
      const r = await getJSON<{ go: string; numpy: string }>(arrayPath(a.id, "copy") + this.regionQuery());
      const block = (name: string, text: string) => {
        const pre = h("pre", { tabindex: 0, "data-lang": name }, text);
        const b = h("button", {
          type: "button", onclick: async () => {
            try {
              await navigator.clipboard.writeText(text);
              b.textContent = "Copied";
            } catch {
              getSelection()?.selectAllChildren(pre);
              b.textContent = "Selected";
            }
          },
        }, "Copy");
        return h("section", {}, h("div", { class: "row" }, h("h2", {}, name), b), pre);
      };
      this.code.replaceChildren(block("NumPy", r.numpy), block("Go", r.go), h("form", { method: "dialog" }, h("button", { class: "main" }, "Close")));
      this.code.showModal();
    } catch (err) {
      this.app.fail(err);
    }
  }

  /** open shows the dialog with the kinds of files. */
  open() {
    const a = this.app.info;
    if (!a || this.app.view.mode === "tree") return;
    const said = h("p", { class: "small bad", role: "status" });
    const base = (a.name.split(/[/\\:]/).pop() ?? "").replace(/\.np[yz]$/, "") || "array";
    const figure = (text: string, make: () => Promise<Blob | null> | Blob | null, ext: string) => h("button", { type: "button", disabled: this.app.view.mode === "table", onclick: async () => {
      const blob = await make();
      if (blob) download(blob, base + ext);
      this.save.close();
    } }, text);
    const png = figure("Figure with axes, double resolution (.png)", () => {
      const canvas = picture(this.app);
      return canvas && new Promise((done) => canvas.toBlob(done, "image/png"));
    }, ".png");
    const svg = figure("Figure with axes, scalable (.svg)", () => {
      const text = drawing(this.app);
      return text === null ? null : new Blob([text], { type: "image/svg+xml" });
    }, ".svg");
    const table = h("button", { type: "button", onclick: async () => {
      try {
        const { columns, rows } = await cells(a, this.app.view, this.selectedPart());
        download(new Blob([csv([columns, ...rows])], { type: "text/csv" }), base + ".csv");
        this.save.close();
      } catch (err) {
        said.textContent = message(err);
      }
    } }, this.app.view.mode === "table" && this.selected() ? "Selected cells (.csv)" : "Elements on screen (.csv)");
    const npy = h("button", { type: "button", onclick: async () => {
      try {
        const r = await ask(arrayPath(a.id, "save") + this.regionQuery());
        if (!r.ok) throw new Error((await r.json()).error ?? r.statusText);
        download(await r.blob(), base + "-part.npy");
        this.save.close();
      } catch (err) {
        said.textContent = message(err);
      }
    } }, "Elements on screen (.npy)");
    this.save.replaceChildren(h("h2", {}, "Save"), png, svg, this.movie(base), npy, table, said, h("form", { method: "dialog" }, h("button", { class: "main" }, "Close")));
    this.save.showModal();
  }

  // movie returns the button that saves a movie of the axis that the keys play.
  private movie(base: string): HTMLButtonElement {
    const { app } = this, k = app.sliders.axis, { speed, mode } = app.view;
    if (k < 0 || mode === "table" || !canRecord()) {
      const why = k < 0 || mode === "table" ? "" : isSecureContext ? ": this browser cannot encode videos" : ": only on the machine of npyview";
      return h("button", { type: "button", disabled: true }, `Movie of an axis (.webm)${why}`);
    }
    const [first, last] = app.sliders.play.range(k), name = axisName(app.info!, k) || `axis ${k}`;
    return h("button", { type: "button", onclick: () => this.record(base, k, first, last, speed) }, `Movie of ${name}, ${first} to ${last}, ${speed} per second (.webm)`);
  }

  // record saves a movie, and shows its progress in the dialog.
  private async record(base: string, k: number, first: number, last: number, speed: number) {
    const bar = h("progress", { max: last - first + 1, value: 0, "aria-label": "frames" }), said = h("p", { class: "small", role: "status" });
    let stop = false, keep = true;
    const end = (kept: boolean) => () => {
      stop = true;
      keep = kept;
    };
    const dropped = () => end(false)();
    this.save.addEventListener("close", dropped); // with Escape
    const enough = h("button", { type: "button", onclick: end(true) }, "Stop and save");
    this.save.replaceChildren(h("h2", {}, "Movie"), bar, said, h("div", { class: "row" }, enough, h("button", { type: "button", onclick: end(false) }, "Cancel")));
    enough.focus();
    try {
      const blob = await record(this.app, k, first, last, speed, (i) => {
        bar.value = i - first;
        said.textContent = `frame ${i} of ${first} to ${last}`;
      }, () => stop);
      if (blob && keep) download(blob, base + ".webm");
    } catch (err) {
      this.app.fail(err);
    }
    this.save.removeEventListener("close", dropped);
    this.save.close();
  }

  private selected(): boolean {
    const s = this.app.table.selection();
    return s.rows * s.cols > 1;
  }

  // selectedPart returns the selection in the table, or else the elements on screen.
  private selectedPart(): Part {
    const v = this.app.view, a = this.app.info!, s = this.app.table.selection();
    if (v.mode === "table" && (this.selected() || a.kind === "struct" || v.tr < 0)) {
      const y = v.tc >= 0 && a.kind !== "struct" ? v.tr : -1;
      if (this.selected()) return { y, x: y < 0 ? v.tr : v.tc, ...s };
      const seen = this.app.table.visible()?.region;
      return { y, x: v.tr, row: seen?.x0 ?? 0, rows: seen ? seen.x1 - seen.x0 : 1, col: 0, cols: a.kind === "struct" ? (a.fields?.length ?? 1) : 1 };
    }
    const seen = this.app.pane.visible();
    if (!seen) throw new Error("there is nothing on screen");
    const { y0, y1, x0, x1 } = seen.region;
    return seen.y < 0 ? { y: -1, x: seen.x, row: x0, rows: x1 - x0, col: 0, cols: 1 } : { y: seen.y, x: seen.x, row: y0, rows: y1 - y0, col: x0, cols: x1 - x0 };
  }

  /** copyElements copies the selected cells, or the value in the foot. */
  async copyElements() {
    const a = this.app.info;
    if (!a) return;
    try {
      const value = this.app.view.mode === "tree" ? this.app.tree.text : this.app.foot.value;
      const text = this.app.view.mode === "table" && this.selected() ? tsv((await cells(a, this.app.view, this.selectedPart())).rows) : value;
      if (!text) return;
      await navigator.clipboard.writeText(text);
      this.app.note("copied");
    } catch (err) {
      this.app.fail(err);
    }
  }
}

/** download makes the browser save a file. */
export function download(blob: Blob, name: string) {
  const url = URL.createObjectURL(blob);
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
