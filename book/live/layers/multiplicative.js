/* Multiplicative attention, chapter 3. hᵀ W_a h_s: h (n), W_a (n × n), states (source × n) -> (source). */
function generalScores(h, W, states) {
  const query = weightedSum(h, Array.from(h, (_, i) => row(W, i)));
  return Float32Array.from(states, (state) => dot(query, state));
}

/* Scaled: q · k / √d_k; query (d), keys (source × d) -> (source). */
const scaledScores = (query, keys, hand) =>
  Float32Array.from(keys, (key) => dot(query, key) / (hand.root === false ? 1 : Math.sqrt(query.length)));
