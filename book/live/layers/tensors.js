/* A vector is a Float32Array; a table has rows, cols and data, row by row. */

function bytes(base64) {
  const raw = atob(base64), out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out;
}

/* A table as it is stored: 32-bit numbers, or 8-bit numbers with one scale a row. */
function unpack(stored) {
  const { rows, cols } = stored, buffer = bytes(stored.data).buffer;
  if (!stored.scales) return { rows, cols, data: new Float32Array(buffer) };
  const scales = new Float32Array(bytes(stored.scales).buffer);
  return { rows, cols, data: new Float32Array(new Int8Array(buffer)).map((number, i) => number * scales[Math.floor(i / cols)]) };
}

const total = (x) => x.reduce((sum, number) => sum + number, 0);
const zeros = (size) => new Float32Array(size);
const add = (x, y) => x.map((number, i) => number + y[i]);
const relu = (x) => x.map((number) => Math.max(0, number));
const tanh = (x) => x.map(Math.tanh);
const sigmoid = (number) => 1 / (1 + Math.exp(-number));

/* [x ; y ; …] */
function joined(...parts) {
  const out = zeros(parts.reduce((sum, part) => sum + part.length, 0));
  parts.reduce((at, part) => (out.set(part, at), at + part.length), 0);
  return out;
}

/* Σ x[at + i] y[i] for i = from … to - 1; four sums at a time are faster. */
function dot(x, y, at = 0, from = 0, to = y.length) {
  let a = 0, b = 0, c = 0, d = 0, i = from;
  for (; i < to - 3; i += 4) {
    a += x[at + i] * y[i]; b += x[at + i + 1] * y[i + 1]; c += x[at + i + 2] * y[i + 2]; d += x[at + i + 3] * y[i + 3];
  }
  for (; i < to; i++) a += x[at + i] * y[i];
  return a + b + c + d;
}

const best = (scores) => scores.reduce((top, score, i) => (score > scores[top] ? i : top), 0);
