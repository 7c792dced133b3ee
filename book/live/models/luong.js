/* Chapter 3: the decoder steps first and attends then, with a product as score. */

class luong extends Network {
  /* Tokens (source) -> states (source × n) and the last states of both directions. */
  read(tokens) {
    return this.bothWays("encoder.", stepLSTM, tokens);
  }

  /* h, c: those of both directions side by side; h̃_0 = 0. */
  start({ last }) {
    const [h, c] = ["h", "c"].map((part) => joined(last[0][part], last[1][part]));
    return { h, c, fed: zeros(h.length) };
  }

  /* h = LSTM([word ; h̃], …), context c of h, h̃ = tanh(W_c [c ; h]); the readout reads h̃. */
  step(token, { states }, state, hand) {
    const fed = hand.fed === false ? zeros(state.h.length) : state.fed;
    const input = joined(...this.embed("embedding", [token]), fed);
    Object.assign(state, stepLSTM(this.all, "network", input, state));
    const weights = weigh(generalScores(state.h, this.all["score_weights.0"], states), hand, state);
    state.fed = tanh(this.linear("W_c", joined(weightedSum(weights, states), state.h)));
    return { logits: readout(this.all, state.fed), weights: [weights] };
  }
}
