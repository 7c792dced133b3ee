/* The gated recurrent unit. */

/* h' = (1 − z) n + z h with n = tanh(input + r · state). fromInput, fromState: (3n), the parts of r, z, n; h: (n). */
function gru(fromInput, fromState, h) {
  const size = h.length;
  return h.map((before, i) => {
    const r = sigmoid(fromInput[i] + fromState[i]), z = sigmoid(fromInput[size + i] + fromState[size + i]);
    const n = Math.tanh(fromInput[2 * size + i] + r * fromState[2 * size + i]);
    return (1 - z) * n + z * before;
  });
}

/* W x + b and U h + b' of one direction, by PyTorch's names: (gates) each. */
const bothSides = (all, name, way, x, h) => [["ih", x], ["hh", h]].map(([part, input]) =>
  linear(all[`${name}.weight_${part}_l0${way}`], all[`${name}.bias_${part}_l0${way}`], input));

const stepGRU = (all, name, x, { h }, way = "") => ({ h: gru(...bothSides(all, name, way, x, h), h) });

/* Inputs, source × d -> states, source × 2n: [→h_j ; ←h_j], and the last state of both directions. */
function bothWays(all, name, step, inputs) {
  const n = all[`${name}.weight_hh_l0`].cols;
  const run = (words, way, state) => words.map((x) => (state = step(all, name, x, state, way)));
  const there = run(inputs, "", { h: zeros(n), c: zeros(n) });
  const back = run([...inputs].reverse(), "_reverse", { h: zeros(n), c: zeros(n) });
  return { states: there.map((state, j) => joined(state.h, back[inputs.length - 1 - j].h)), last: [there.at(-1), back.at(-1)] };
}
