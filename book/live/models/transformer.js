/* Chapter 7: the Transformer, one position at a time; d is its width.
   A hand is laid on one use of attention, "encoder", "decoder" or "cross"; heads are muted in the last layer. */

class transformer extends Translates {
  /* √d times the embedding of a token, plus the sines of its position: (d). */
  placed(table, token, position, hand) {
    const [row] = this.embed(table, [token]), d = row.length, word = row.map((number) => number * Math.sqrt(d));
    return hand.positions === false ? word : add(word, sines(position, d, 10000));
  }

  get layers() {
    return [...Array(this.settings.layers).keys()];
  }

  /* W_2 relu(W_1 x), and the norm behind it: (d) -> (d). */
  feed(layer, norm, x) {
    return this.close(`${layer}.${norm}`, x, this.linear(`${layer}.linear2`, relu(this.linear(`${layer}.linear1`, x))));
  }

  attend(use, number, name, x, cache, hand) {
    const laid = use === (hand.use || "cross") ? { ...hand, off: number < this.settings.layers - 1 ? null : hand.off } : { root: hand.root };
    return attend(this.all, name, this.settings.heads, x, cache, laid);
  }

  remembered(name, states) {
    return states.reduce((cache, x) => remember(this.all, name, x, cache), empty());
  }

  /* LayerNorm(x + sublayer(x)): the paper's post-norm. */
  close(name, x, change) {
    return layerNorm(add(x, change), this.all[`${name}.weight`], this.all[`${name}.bias`]);
  }

  /* Tokens (source) -> keys and values for each layer of the decoder; weights of the encoder's last layer. */
  read(tokens, hand) {
    let states = tokens.map((token, position) => this.placed("source_embedding", token, position, hand)), weights;
    for (const number of this.layers) {
      const layer = `encoder.${number}`, name = `${layer}.self_attn`, cache = this.remembered(name, states);
      const read = states.map((x) => this.attend("encoder", number, name, x, cache, hand));
      weights = read.map((each) => each.weights); // source × heads × source
      states = states.map((x, i) => this.feed(layer, "norm2", this.close(`${layer}.norm1`, x, read[i].out)));
    }
    return Object.assign(this.layers.map((number) => this.remembered(`decoder.${number}.multihead_attn`, states)), { weights });
  }

  start() {
    return this.layers.map(empty);
  }

  /* One more word -> scores of the next (vocabulary); weights of the last layer, heads × places. */
  step(token, memory, cache, hand = {}) {
    let y = this.placed("embedding", token, cache[0].keys.length, hand), own, cross;
    for (const number of this.layers) {
      const layer = `decoder.${number}`;
      remember(this.all, `${layer}.self_attn`, y, cache[number]);
      own = this.attend("decoder", number, `${layer}.self_attn`, y, cache[number], hand);
      y = this.close(`${layer}.norm1`, y, own.out);
      cross = this.attend("cross", number, `${layer}.multihead_attn`, y, memory[number], hand);
      y = this.feed(layer, "norm3", this.close(`${layer}.norm2`, y, cross.out));
    }
    return { logits: linear(this.all["embedding.weight"], null, y), weights: cross.weights, own: own.weights };
  }
}
