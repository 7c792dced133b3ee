/* LayerNorm, γ (x − mean) / √(variance + ε) + β: (d) -> (d). Without β it is RMSNorm, chapter 8: no mean is taken. */
function norm(all, name, x) {
  const gamma = all[`${name}.weight`].data, beta = all[`${name}.bias`]?.data;
  const mean = beta ? total(x) / x.length : 0, centred = x.map((number) => number - mean);
  const root = Math.sqrt(dot(centred, centred) / x.length + (beta ? 1e-5 : 1e-6));
  return centred.map((number, i) => (gamma[i] * number) / root + (beta?.[i] ?? 0));
}
