/* Maxout: the larger of each pair, (2m) -> (m). */
const maxout = (x) => zeros(x.length / 2).map((_, i) => Math.max(x[2 * i], x[2 * i + 1]));

/* Features (f) -> scores (vocabulary), through pairs and maxout where the model has them. */
function readout(all, features) {
  const inner = all["readout.pairs.weight"] ? maxout(linear(all, "readout.pairs", features)) : features;
  return linear(all, "readout.words", inner);
}
