/* Such as the embedding of a token: (rows × cols), i -> (cols). */
const row = (W, i) => W.data.subarray(i * W.cols, (i + 1) * W.cols);

/* W x + b by PyTorch's name, of a layer or of a matrix alone: (cols) -> (rows). */
function linear(all, name, x, part = "") {
  const W = all[`${name}.weight${part}`] ?? all[name], b = all[`${name}.bias${part}`]?.data;
  return zeros(W.rows).map((_, i) => dot(W.data, x, i * W.cols) + (b ? b[i] : 0));
}

/* Sines and cosines of a position, waves longer and longer: (width). */
const sines = (position, width, base) => zeros(width).map((_, i) => {
  const angle = position / base ** ((i - (i % 2)) / width);
  return i % 2 ? Math.cos(angle) : Math.sin(angle);
});
