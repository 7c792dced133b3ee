/* The gated recurrent unit. h' = (1 − z) n + z h with n = tanh(input + r · state). input, state: (3n), the parts of r, z, n; h: (n). */
function gru(input, state, h) {
  const size = h.length;
  return h.map((before, i) => {
    const [r, z] = [i, size + i].map((at) => sigmoid(input[at] + state[at]));
    const n = Math.tanh(input[2 * size + i] + r * state[2 * size + i]);
    return (1 - z) * n + z * before;
  });
}

/* W x + b and U h + b' of one direction: (gates) each. */
const bothSides = (all, name, way, x, h) =>
  [linear(all, name, x, `_ih_l0${way}`), linear(all, name, h, `_hh_l0${way}`)];

const stepGRU = (all, name, x, { h }, way = "") => ({ h: gru(...bothSides(all, name, way, x, h), h) });

/* Inputs, source × d -> states, source × 2n: [→h_j ; ←h_j], and the last state of both directions. */
function bothWays(all, name, step, inputs) {
  const n = all[`${name}.weight_hh_l0`].cols;
  const run = (words, way, state = { h: zeros(n), c: zeros(n) }) => words.map((x) => (state = step(all, name, x, state, way)));
  const there = run(inputs), back = run([...inputs].reverse(), "_reverse").reverse();
  return { states: there.map((state, j) => joined(state.h, back[j].h)), last: [there.at(-1), back[0]] };
}
