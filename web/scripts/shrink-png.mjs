// Reduces the size of a screenshot: `shrinkPng(png)` quantizes it to at most 256 colours.
//
// Pages have few colours, except for antialiased text, which uses the nearest palette colour. It reads PNGs as Chromium
// writes them: eight bits per channel, three or four channels, not interlaced.
import { strict as assert } from "node:assert";
import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
const MAX_COLOURS = 256;

export function shrinkPng(png) {
  const { width, height, pixels } = read(png);
  const colours = palette(pixels);
  const nearest = finder(colours);
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = nearest(pixels[y * width + x]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(colours.flatMap(channels))),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

const channels = (colour) => [colour >> 16, (colour >> 8) & 255, colour & 255];

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  whole.set(body, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}

/** Selects the palette: the most frequent colours, then those with the largest visible error. */
function palette(pixels) {
  const counts = new Map();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const sorted = [...counts].sort((a, b) => b[1] - a[1]).map(([colour]) => colour);
  const kept = sorted.slice(0, MAX_COLOURS / 2);
  const others = sorted.slice(kept.length).map((colour) => ({
    colour,
    count: counts.get(colour),
    far: Math.min(...kept.map((one) => distance(channels(one), channels(colour)))),
  }));
  const loss = ({ far, count }) => far * Math.sqrt(count);
  while (kept.length < MAX_COLOURS && others.length > 0) {
    const worst = others.reduce((a, b) => (loss(b) > loss(a) ? b : a));
    if (loss(worst) === 0) break;
    kept.push(worst.colour);
    for (const other of others)
      other.far = Math.min(other.far, distance(channels(worst.colour), channels(other.colour)));
  }
  return kept;
}

const distance = ([r, g, b], [s, h, c]) => (r - s) ** 2 + (g - h) ** 2 + (b - c) ** 2;

/** Returns a function from a colour to the index of the nearest palette colour. */
function finder(colours) {
  const known = new Map(colours.map((colour, i) => [colour, i]));
  const parts = colours.map(channels);
  return (colour) => {
    const found = known.get(colour);
    if (found !== undefined) return found;
    const far = parts.map((part) => distance(part, channels(colour)));
    const best = far.indexOf(Math.min(...far));
    known.set(colour, best);
    return best;
  };
}

function read(png) {
  assert.ok(png.subarray(0, 8).equals(SIGNATURE), "not a PNG");
  const data = [];
  let header;
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12) {
    const body = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
    const type = png.toString("latin1", at + 4, at + 8);
    if (type === "IHDR") header = body;
    if (type === "IDAT") data.push(body);
  }
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const size = { 2: 3, 6: 4 }[header[9]];
  assert.ok(header[8] === 8 && size && header[12] === 0, "unsupported PNG format");
  const bytes = unfilter(inflateSync(Buffer.concat(data)), width * size, height, size);
  const pixels = new Uint32Array(width * height);
  for (let i = 0; i < pixels.length; i++)
    pixels[i] = (bytes[i * size] << 16) | (bytes[i * size + 1] << 8) | bytes[i * size + 2];
  return { width, height, pixels };
}

/** Undoes the PNG filter of each line. */
function unfilter(raw, stride, height, size) {
  const out = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const left = x >= size ? out[y * stride + x - size] : 0;
      const up = y > 0 ? out[(y - 1) * stride + x] : 0;
      const corner = x >= size && y > 0 ? out[(y - 1) * stride + x - size] : 0;
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
      out[y * stride + x] = raw[y * (stride + 1) + 1 + x] + guess;
    }
  }
  return out;
}

function paeth(left, up, corner) {
  const sum = left + up - corner;
  const [a, b, c] = [Math.abs(sum - left), Math.abs(sum - up), Math.abs(sum - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}
