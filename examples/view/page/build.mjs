// Bundles the page into ../static/dist, which the Go program embeds.
import { build } from "esbuild";
import { copyFile, mkdir, rm } from "node:fs/promises";

const dist = new URL("../static/dist/", import.meta.url);
await rm(dist, { recursive: true, force: true });
await mkdir(new URL("assets/", dist), { recursive: true });
await build({
  entryPoints: { app: "src/main.ts" },
  outdir: new URL("assets/", dist).pathname,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  loader: { ".woff2": "file" },
  assetNames: "[name]",
  legalComments: "eof",
  logLevel: "warning",
});
await copyFile("src/index.html", new URL("index.html", dist));
await copyFile("src/icon.svg", new URL("assets/icon.svg", dist));
