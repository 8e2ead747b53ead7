// WebM files: video frames in the container format of the web, a subset of Matroska (RFC 9559).

/** Frame is an encoded VP9 frame. */
export interface Frame {
  data: Uint8Array;
  key: boolean; // can be decoded without the previous frames
}

const clusterTime = 30000; // maximum duration of a cluster in ms, whose frames have times of 16 bits

// The codes of ITU-T H.273 for how colours are stored
const primaries: Record<string, number> = { bt709: 1, bt470bg: 5, smpte170m: 6 };
const transfers: Record<string, number> = { bt709: 1, smpte170m: 6, "iec61966-2-1": 13 };
const matrices: Record<string, number> = { rgb: 0, bt709: 1, bt470bg: 5, smpte170m: 6 };

/** webm returns a file with the frames of a VP9 video of a size, at a number of frames per second. */
export function webm(frames: Frame[], width: number, height: number, rate: number, space: VideoColorSpaceInit): Blob {
  const time = (i: number) => Math.round((1000 * i) / rate);
  const header = el(0x1a45dfa3, uint(0x4286, 1), uint(0x42f7, 1), uint(0x42f2, 4), uint(0x42f3, 8), text(0x4282, "webm"), uint(0x4287, 4), uint(0x4285, 2));
  const info = el(0x1549a966, uint(0x2ad7b1, 1_000_000), float(0x4489, (1000 * frames.length) / rate), text(0x4d80, "npyview"), text(0x5741, "npyview"));
  const unspecified = 2, colour = el(0x55b0, uint(0x55b1, matrices[space.matrix ?? ""] ?? unspecified), uint(0x55b9, space.fullRange ? 2 : 1),
    uint(0x55ba, transfers[space.transfer ?? ""] ?? unspecified), uint(0x55bb, primaries[space.primaries ?? ""] ?? unspecified));
  const track = el(0x1654ae6b, el(0xae, uint(0xd7, 1), uint(0x73c5, 1), uint(0x83, 1), uint(0x9c, 0), text(0x86, "V_VP9"),
    uint(0x23e383, Math.round(1e9 / rate)), el(0xe0, uint(0xb0, width), uint(0xba, height), colour)));
  const clusters: Uint8Array[] = [], cues: Uint8Array[] = [];
  let at = info.length + track.length; // position of the next cluster in the segment
  for (let i = 0; i < frames.length; ) {
    const start = time(i), blocks: Uint8Array[] = [], first = i;
    for (; i < frames.length && time(i) - start < clusterTime && (i === first || !frames[i].key); i++) {
      const t = time(i) - start;
      blocks.push(el(0xa3, new Uint8Array([0x81, t >> 8, t & 255, frames[i].key ? 0x80 : 0]), frames[i].data));
    }
    const cluster = el(0x1f43b675, uint(0xe7, start), ...blocks);
    if (frames[first].key) cues.push(el(0xbb, uint(0xb3, start), el(0xb7, uint(0xf7, 1), uint(0xf1, at))));
    clusters.push(cluster);
    at += cluster.length;
  }
  return new Blob([header, el(0x18538067, info, track, ...clusters, el(0x1c53bb6b, ...cues))] as BlobPart[], { type: "video/webm" });
}

// el returns an element: its id, the size of its content in 8 bytes, and its content.
function el(id: number, ...content: Uint8Array[]): Uint8Array {
  const size = content.reduce((n, c) => n + c.length, 0), head = bytes(id), out = new Uint8Array(head.length + 8 + size);
  out.set(head);
  new DataView(out.buffer).setBigUint64(head.length, (1n << 56n) | BigInt(size));
  let at = head.length + 8;
  for (const c of content) {
    out.set(c, at);
    at += c.length;
  }
  return out;
}

// bytes returns a positive integer in big-endian order, without leading zeros.
function bytes(x: number): Uint8Array {
  const out = [];
  for (; x > 0; x = Math.floor(x / 256)) out.unshift(x % 256);
  return new Uint8Array(out);
}

function uint(id: number, x: number): Uint8Array {
  return el(id, x ? bytes(x) : new Uint8Array(1));
}

function float(id: number, x: number): Uint8Array {
  const b = new Uint8Array(8);
  new DataView(b.buffer).setFloat64(0, x);
  return el(id, b);
}

function text(id: number, s: string): Uint8Array {
  return el(id, new TextEncoder().encode(s));
}
