/* exp(score) / Σ exp(score); without the largest score nothing overflows. */
function softmax(scores) {
  const most = Math.max(...scores), grown = new Float32Array(scores).map((score) => Math.exp(score - most)), all = total(grown);
  return grown.map((number) => number / all);
}

const mixed = (i) => (i * 7919 + 3) % 31; // looks like chance, is always the same
const HANDS = {
  equal: (weights) => softmax(weights.map((weight) => (weight > 0 ? 0 : -1e30))),
  sharpest: (weights) => weights.map((_, i) => Number(i === best(weights))),
  shuffled: (weights) => Float32Array.from([...weights.keys()].sort((a, b) => mixed(a) - mixed(b)), (i) => weights[i]),
};

/* Scores (source) -> weights (source). hand.given: these; mute: places without any; weights: what the others become. */
function weigh(scores, hand, state = {}) {
  const weights = softmax(scores.map((score, i) => (hand.mute?.has(i) ? -1e30 : score)));
  if (hand.weights === "held") return (state.held ??= weights);
  return hand.given ?? HANDS[hand.weights]?.(weights) ?? weights;
}

/* Σ weight_j value_j: weights (source), values (source × d) -> (d). */
function weightedSum(weights, values, out = zeros(values[0].length)) {
  values.forEach((value, place) => {
    for (let i = 0; i < out.length; i++) out[i] += weights[place] * value[i];
  });
  return out;
}
