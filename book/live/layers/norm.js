/* Layer norm. */

/* γ (x − mean) / √(variance + ε) + β, over the features of one position: (d) -> (d). */
function layerNorm(x, gamma, beta, epsilon = 1e-5) {
  const mean = total(x) / x.length;
  const variance = total(x.map((number) => (number - mean) ** 2)) / x.length;
  return x.map((number, i) => (gamma.data[i] * (number - mean)) / Math.sqrt(variance + epsilon) + beta.data[i]);
}
