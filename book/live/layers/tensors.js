/* A vector is a Float32Array; a table has rows, cols and data, row by row. */

const bytes = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0)).buffer;

/* A table as it is stored: 32-bit numbers, or 8-bit numbers with one scale a row. */
function unpack(stored) {
  const { rows, cols } = stored, buffer = bytes(stored.data);
  if (!stored.scales) return { rows, cols, data: new Float32Array(buffer) };
  const scales = new Float32Array(bytes(stored.scales)), data = new Float32Array(new Int8Array(buffer));
  return { rows, cols, data: data.map((number, i) => number * scales[Math.floor(i / cols)]) };
}

const total = (x) => x.reduce((sum, number) => sum + number, 0);
const zeros = (size) => new Float32Array(size);
const add = (x, y) => x.map((number, i) => number + y[i]);
const relu = (x) => x.map((number) => Math.max(0, number));
const tanh = (x) => x.map(Math.tanh);
const sigmoid = (number) => 1 / (1 + Math.exp(-number));

/* [x ; y ; …] */
const joined = (...parts) => Float32Array.from(parts.flatMap((part) => [...part]));

/* Σ x[at + i] y[i]; four sums at a time are faster. */
function dot(x, y, at = 0) {
  let a = 0, b = 0, c = 0, d = 0, i = 0;
  for (; i < y.length - 3; i += 4) {
    a += x[at + i] * y[i]; b += x[at + i + 1] * y[i + 1]; c += x[at + i + 2] * y[i + 2]; d += x[at + i + 3] * y[i + 3];
  }
  for (; i < y.length; i++) a += x[at + i] * y[i];
  return a + b + c + d;
}

const best = (scores) => scores.reduce((top, score, i) => (score > scores[top] ? i : top), 0);
