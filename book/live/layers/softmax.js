/* From scores to weights, and the weighted sum. */

/* exp(score) / Σ exp(score); without the largest score nothing overflows. */
function softmax(scores) {
  const most = Math.max(...scores), grown = new Float32Array(scores).map((score) => Math.exp(score - most)), all = total(grown);
  return grown.map((number) => number / all);
}

const mixed = (i) => (i * 7919 + 3) % 31; // looks like chance, is always the same
const HANDS = {
  equal: (weights) => weights.map((weight) => Number(weight > 0) / weights.filter((each) => each > 0).length),
  sharpest: (weights) => weights.map((_, i) => Number(i === best(weights))),
  shuffled: (weights) => Float32Array.from([...weights.keys()].sort((a, b) => mixed(a) - mixed(b)), (i) => weights[i]),
};

/* Scores (source) -> weights (source). hand.mute: positions without weight; hand.weights: what is made of the others,
   such as those of the first step, held. */
function weigh(scores, hand = {}, state = {}) {
  const weights = softmax(scores.map((score, i) => (hand.mute?.has(i) ? -1e30 : score)));
  if (hand.weights === "held") return (state.held ??= weights);
  return HANDS[hand.weights]?.(weights) ?? weights;
}

/* Σ weight_j value_j, over the features from … to - 1: weights (source), values source × d -> (d). */
function weightedSum(weights, values, out = zeros(values[0].length), from = 0, to = out.length) {
  values.forEach((value, place) => {
    for (let i = from; i < to; i++) out[i] += weights[place] * value[i];
  });
  return out;
}
