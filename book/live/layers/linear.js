/* Embedding, sines of the position, linear layer. */

/* The row of a token: (rows × cols), token -> (cols). */
const embed = (E, token) => E.data.subarray(token * E.cols, (token + 1) * E.cols);

/* W x + b for the rows first … last - 1 of W: (cols) -> (last - first). */
const linear = (W, b, x, first = 0, last = W.rows) => zeros(last - first).map((_, i) =>
  dot(W.data, x, (first + i) * W.cols, 0, W.cols) + (b ? b.data[first + i] : 0));

/* By PyTorch's name. */
const layer = (all, name, x) => linear(all[`${name}.weight`], all[`${name}.bias`], x);

/* Sines and cosines of a position, waves longer and longer: (width). */
const sines = (position, width, base) => Float32Array.from({ length: width }, (_, i) => {
  const angle = position / base ** ((i - (i % 2)) / width);
  return i % 2 ? Math.cos(angle) : Math.sin(angle);
});
