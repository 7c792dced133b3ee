/* Chapter 2: a decoder that attends to the source before each word. */

class bahdanau extends Network {
  /* Tokens (source) -> states h_j (source × 2n), and W_k h_j (source × hidden), once for all steps. */
  read(tokens) {
    const { states, last } = this.bothWays("encoder.", stepGRU, tokens);
    return { states, keys: states.map((state) => this.linear("W_k", state)), back: last[1].h };
  }

  /* s_0 = tanh(W_s ←h_1): (n). */
  start({ back }) {
    return { h: tanh(this.linear("start", back)) };
  }

  /* s_i = GRU(word, context, s_{i-1}); the readout reads [s_i ; word ; context]: equation 4. */
  step(token, { states, keys }, state, hand) {
    const [word] = this.embed("embedding", [token]);
    const scores = additiveScores(this.linear("W_q", state.h), keys, this.all.v.data, hand.tanh === false ? Number : Math.tanh);
    const weights = weigh(scores, hand, state), context = weightedSum(weights, states);
    const input = add(this.linear("from_word", word), this.linear("from_context", context));
    state.h = gru(input, this.linear("from_state", state.h), state.h);
    return { logits: readout(this.all, joined(state.h, word, context)), weights: [weights] };
  }
}
