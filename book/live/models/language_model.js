/* Chapter 8: the decoder alone. Its state is the cache of each layer; keys are kept turned. */

class language_model extends transformer {
  read() {} // there is no source

  /* One more word -> scores of the next (vocabulary). hand.touch(layer, position, name, numbers, head) sees q, k and v of
     all heads, then s, w and c of each, and may change them. */
  step(token, _, cache, hand = {}) {
    const { heads, d_model, rope_base } = this.settings, position = cache[0].length;
    const turn = (x) => rope(x, position, d_model / heads, rope_base);
    let x = this.placed("embedding", token, position, { positions: false });
    for (const number of this.layers) {
      const block = `blocks.${number}`, y = norm(this.all, `${block}.norm1`, x);
      const touch = hand.touch?.bind(null, number, position), q = turn(this.linear(`${block}.attention.q`, y));
      const { key, value } = this.remember(`${block}.attention`, [y], cache[number], turn).at(-1);
      Object.entries({ q, k: key, v: value }).forEach((each) => touch?.(...each));
      const { out } = attend(q, heads, cache[number], { touch });
      x = add(x, this.linear(`${block}.attention.out`, out));
      x = add(x, this.gated(`${block}.feed_forward`, norm(this.all, `${block}.norm2`, x)));
    }
    return { logits: this.linear("embedding", norm(this.all, "norm", x)) };
  }

  /* SwiGLU: W_2 (silu(W_gate x) ∘ W_1 x), silu(g) = g · sigmoid(g). */
  gated(name, x) {
    const gate = this.linear(`${name}.gate`, x), inner = this.linear(`${name}.linear1`, x);
    return this.linear(`${name}.linear2`, inner.map((number, i) => number * gate[i] * sigmoid(gate[i])));
  }
}
