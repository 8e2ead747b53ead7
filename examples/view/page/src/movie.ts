// A movie of the frames along an axis, encoded by the browser.

import { h } from "./dom";
import type { App } from "./main";
import { picture } from "./picture";
import { webm, type Frame } from "./webm";

const largest = 3840 * 2160; // pixels of a frame at double resolution
const keyEvery = 60; // frames between frames that can be decoded alone
const quantizer = 4; // of VP9, from 0 (lossless) to 63

/** canRecord reports whether the browser can encode movies. Browsers do so only for pages of this machine or via HTTPS. */
export function canRecord(): boolean {
  return typeof VideoEncoder === "function";
}

/**
 * record shows the frames first to last of axis k, and returns them as a WebM video with rate frames per second. Each
 * frame is drawn completely before it is encoded, so the time that this takes does not matter. progress is called before
 * each frame. When stopped returns true, the video ends before the current frame.
 */
export async function record(app: App, k: number, first: number, last: number, rate: number, progress: (i: number) => void, stopped: () => boolean): Promise<Blob | null> {
  let space: VideoColorSpaceInit = {};
  const { id } = app.info!, before = app.view.at, out = h("canvas", {}), frames: Frame[] = [];
  let failed: unknown = null;
  const encoder = new VideoEncoder({
    output: (chunk, about) => {
      space = about?.decoderConfig?.colorSpace ?? space;
      const data = new Uint8Array(chunk.byteLength);
      chunk.copyTo(data);
      frames.push({ data, key: chunk.type === "key" });
    },
    error: (err) => (failed = err),
  });
  try {
    // Colours have half the resolution of the brightness in the video. At double resolution they are still exact.
    let finer = 0;
    for (let i = first; i <= last && app.info?.id === id; i++) {
      progress(i);
      app.sliders.setIndex(k, i);
      do await new Promise((done) => requestAnimationFrame(done));
      while (app.busy && !stopped());
      if (stopped()) break;
      if (!finer) {
        finer = 2;
        if (!picture(app, finer, out)) return null;
        if (out.width * out.height > largest) finer = 1;
      }
      picture(app, finer, out);
      if (i === first) encoder.configure(await configuration(out, rate));
      const frame = new VideoFrame(out, { timestamp: Math.round((1e6 * (i - first)) / rate), duration: Math.round(1e6 / rate) });
      encoder.encode(frame, { keyFrame: (i - first) % keyEvery === 0, vp9: { quantizer } } as VideoEncoderEncodeOptions);
      frame.close();
      while (encoder.encodeQueueSize > 2 && !failed) await new Promise((done) => setTimeout(done, 5));
      if (failed) throw failed;
    }
    if (encoder.state === "configured") await encoder.flush();
    return frames.length ? webm(frames, out.width, out.height, rate, space) : null;
  } finally {
    if (encoder.state !== "closed") encoder.close();
    if (app.info?.id === id) app.change({ at: before });
  }
}

// configuration returns the best way to encode the frames of out that the browser supports.
async function configuration(out: HTMLCanvasElement, rate: number): Promise<VideoEncoderConfig> {
  const { width, height } = out, common = { codec: "vp09.00.51.08", width, height, framerate: rate, latencyMode: "quality" as const };
  for (const way of [{ bitrateMode: "quantizer" as const }, { bitrateMode: "variable" as const, bitrate: Math.round(width * height * rate / 4) }]) {
    if ((await VideoEncoder.isConfigSupported({ ...common, ...way })).supported) return { ...common, ...way };
  }
  throw new Error("this browser cannot encode VP9 videos of this size");
}
