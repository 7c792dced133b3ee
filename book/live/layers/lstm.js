/* The long short-term memory. c' = f c + i tanh(g), h' = o tanh(c'), of x (d), h, c (n); gates: i, f, g, o (4n). */
function stepLSTM(all, name, x, { h, c }, way = "") {
  const size = h.length, gates = add(...bothSides(all, name, way, x, h));
  const next = c.map((before, i) =>
    sigmoid(gates[size + i]) * before + sigmoid(gates[i]) * Math.tanh(gates[2 * size + i]));
  return { h: next.map((number, i) => sigmoid(gates[3 * size + i]) * Math.tanh(number)), c: next };
}
