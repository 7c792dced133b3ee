/* Additive attention, chapter 2. e_j = v · tanh(W_q s + W_k h_j): query W_q s (hidden), keys W_k h_j (source × hidden), v (hidden) -> (source). */
const additiveScores = (query, keys, v, tanh = Math.tanh) =>
  Float32Array.from(keys, (key) => dot(add(query, key).map(tanh), v));
