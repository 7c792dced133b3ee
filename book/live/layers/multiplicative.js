/* Multiplicative attention, chapter 3: the score is a product. */

/* hᵀ W_a h_s: h (n), W_a (n × n), states (source × n) -> (source). */
function generalScores(h, W, states) {
  const query = zeros(W.cols);
  for (let row = 0; row < W.rows; row++) for (let i = 0; i < W.cols; i++) query[i] += h[row] * W.data[row * W.cols + i];
  return Float32Array.from(states, (state) => dot(query, state));
}

/* Scaled: q · k / √d_k over the features from … to - 1; query (d), keys (source × d) -> (source). */
const scaledScores = (query, keys, hand = {}, from = 0, to = query.length) =>
  Float32Array.from(keys, (key) => dot(query, key, 0, from, to) / (hand.root === false ? 1 : Math.sqrt(to - from)));
