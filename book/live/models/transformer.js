/* Chapter 7, one position at a time. hand.use: "encoder", "decoder" or "cross"; heads are muted in the last layer. */

class transformer extends Network {
  /* √d times the embedding of a token, plus the sines of its position: (d). */
  placed(table, token, position, hand) {
    const [row] = this.embed(table, [token]), d = row.length, word = row.map((number) => number * Math.sqrt(d));
    return hand.positions === false ? word : add(word, sines(position, d, 10000));
  }

  get layers() {
    return [...Array(this.settings.layers).keys()];
  }

  /* LayerNorm(x + sublayer(x)): the paper's post-norm. */
  close(name, x, change) {
    return norm(this.all, name, add(x, change));
  }

  /* W_2 relu(W_1 x), closed: (d) -> (d). */
  feed(layer, norm, x) {
    return this.close(`${layer}.${norm}`, x, this.linear(`${layer}.linear2`, relu(this.linear(`${layer}.linear1`, x))));
  }

  /* The keys and values of more positions, in the cache: none is projected twice. */
  remember(name, states, cache = [], turn = (key) => key) {
    for (const x of states) cache.push({ key: turn(this.linear(`${name}.k`, x)), value: this.linear(`${name}.v`, x) });
    return cache;
  }

  /* A sublayer of attention: the new x (d), weights (heads × source). */
  attend(use, layer, x, cache, hand) {
    const isCross = use === "cross", name = `${layer}.${isCross ? "multihead" : "self"}_attn`;
    const off = layer.endsWith(`.${this.settings.layers - 1}`) ? hand.off : null;
    const laid = use === (hand.use || "cross") ? { ...hand, off } : { root: hand.root };
    const { out, weights } = attend(this.linear(`${name}.q`, x), this.settings.heads, cache, laid);
    return { x: this.close(`${layer}.norm${isCross ? 2 : 1}`, x, this.linear(`${name}.out_proj`, out)), weights };
  }

  /* Tokens (source) -> keys and values for each layer of the decoder; weights of the encoder's last layer. */
  read(tokens, hand) {
    let states = tokens.map((token, position) => this.placed("source_embedding", token, position, hand)), weights;
    for (const number of this.layers) {
      const layer = `encoder.${number}`, cache = this.remember(`${layer}.self_attn`, states);
      const read = states.map((x) => this.attend("encoder", layer, x, cache, hand));
      weights = read.map((each) => each.weights); // source × heads × source
      states = read.map(({ x }) => this.feed(layer, "norm2", x));
    }
    return Object.assign(this.layers.map((number) => this.remember(`decoder.${number}.multihead_attn`, states)), { weights });
  }

  start() {
    return this.layers.map(() => []);
  }

  /* One more word -> scores of the next (vocabulary); weights of the last layer, heads × places. */
  step(token, memory, cache, hand) {
    let y = this.placed("embedding", token, cache[0].length, hand), own, cross;
    for (const number of this.layers) {
      const layer = `decoder.${number}`;
      this.remember(`${layer}.self_attn`, [y], cache[number]);
      own = this.attend("decoder", layer, y, cache[number], hand);
      cross = this.attend("cross", layer, own.x, memory[number], hand);
      y = this.feed(layer, "norm3", cross.x);
    }
    return { logits: this.linear("embedding", y), weights: cross.weights, own: own.weights };
  }
}
