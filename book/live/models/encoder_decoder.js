/* Chapter 1: one vector for a sentence. hand.kept: the share of its numbers that stays, the others become 0. */

class encoder_decoder extends Network {
  /* Tokens (source) -> states [→h_j ; ←h_j], and c = [→h at the end ; ←h at the beginning]: (2n). A muted word is left out. */
  read(tokens, { mute = new Set(), kept = 1 }) {
    const { states, last } = this.bothWays("encoder.", stepGRU, tokens.filter((_, j) => !mute.has(j)));
    const c = joined(...last.map((state) => state.h));
    return { states, c: c.map((number, i) => ((i * 101) % c.length < kept * c.length ? number : 0)) };
  }

  /* h_0 = tanh(V c): (n). */
  start({ c }) {
    return { h: tanh(this.linear("start", c)) };
  }

  /* h' = GRU([word ; c], h); the readout reads [h' ; word ; c]. */
  step(token, { c }, state) {
    const input = joined(...this.embed("embedding", [token]), c);
    Object.assign(state, stepGRU(this.all, "network", input, state));
    return { logits: readout(this.all, joined(state.h, input)), weights: [] };
  }
}
