/* From what a recurrent decoder knows to scores of words. */

/* Maxout: the larger of each pair, (2m) -> (m). */
const maxout = (x) => Float32Array.from({ length: x.length / 2 }, (_, i) => Math.max(x[2 * i], x[2 * i + 1]));

/* Features (f) -> scores (vocabulary), through pairs (2m) and their maxout where the model has them. */
function readout(all, features) {
  const inner = all["readout.pairs.weight"] ? maxout(layer(all, "readout.pairs", features)) : features;
  return layer(all, "readout.words", inner);
}
