/* Chapter 2: a decoder that attends to the source before each word. */

class bahdanau extends Translates {
  /* Tokens (source) -> states h_j (source × 2n), and W_k h_j (source × hidden), once for all steps. */
  read(tokens) {
    const words = this.embed("encoder.embedding", tokens);
    const { states, last } = bothWays(this.all, "encoder.network", stepGRU, words);
    return { states, keys: states.map((state) => linear(this.all.W_k, null, state)), back: last[1].h };
  }

  /* s_0 = tanh(W_s ←h_1): (n). */
  start({ back }) {
    return { h: tanh(this.linear("start", back)) };
  }

  /* s_{i-1} asks; s_i = GRU(word, context, s_{i-1}); the readout reads [s_i ; word ; context]: equation 4. */
  step(token, { states, keys }, state, hand = {}) {
    const { W_q, v } = this.all, [word] = this.embed("embedding", [token]);
    const scores = additiveScores(linear(W_q, null, state.h), keys, v.data, hand.tanh === false ? Number : Math.tanh);
    const weights = weigh(scores, hand, state), context = weightedSum(weights, states);
    const input = add(this.linear("from_word", word), linear(this.all["from_context.weight"], null, context));
    state.h = gru(input, this.linear("from_state", state.h), state.h);
    return { logits: readout(this.all, joined(state.h, word, context)), weights: [weights] };
  }
}
