/* The Transformer of chapter 7, one position at a time. Shapes are in brackets; d is the width of the model. */
(function () {
  "use strict";
  const live = (globalThis.live = globalThis.live || {});
  const { add, layerNorm, linear, relu, softmax, unpack } = live;
  const START = 1, END = 2;

  live.Transformer = class {
    constructor(model) {
      Object.assign(this, model.settings); // d, heads, layers
      this.tensors = Object.fromEntries(Object.entries(model.tensors).map(([name, stored]) => [name, unpack(stored)]));
    }

    of(name) {
      return this.tensors[name];
    }

    /* √d times the embedding of a token, plus the sines of its position: (d). */
    embed(table, token, position) {
      const row = this.of(table).data.subarray(token * this.d, (token + 1) * this.d);
      return row.map((number, i) => {
        const angle = position / 10000 ** ((i - (i % 2)) / this.d);
        return number * Math.sqrt(this.d) + (i % 2 ? Math.cos(angle) : Math.sin(angle));
      });
    }

    /* Part 0, 1 or 2 (query, key, value) of the projection of x: (d). */
    project(name, part, x) {
      return linear(this.of(`${name}.in_proj_weight`), this.of(`${name}.in_proj_bias`), x, part * this.d, (part + 1) * this.d);
    }

    /* Multi-head attention of one query (d) to keys and values (source × d). A muted head gives zeros. */
    attend(name, query, keys, values, isMuted = () => false) {
      const size = this.d / this.heads, joined = new Float32Array(this.d), weights = [];
      for (let head = 0; head < this.heads; head++) {
        const from = head * size;
        const scores = keys.map((key) => {
          let sum = 0;
          for (let i = from; i < from + size; i++) sum += query[i] * key[i];
          return sum / Math.sqrt(size);
        });
        weights.push(softmax(scores));
        if (isMuted(head)) continue;
        values.forEach((value, place) => {
          for (let i = from; i < from + size; i++) joined[i] += weights[head][place] * value[i];
        });
      }
      return { out: linear(this.of(`${name}.out_proj.weight`), this.of(`${name}.out_proj.bias`), joined), weights };
    }

    /* LayerNorm(x + sublayer(x)): the paper's post-norm. */
    close(name, x, change) {
      return layerNorm(add(x, change), this.of(`${name}.weight`), this.of(`${name}.bias`));
    }

    feed(layer, x) {
      const inner = relu(linear(this.of(`${layer}.linear1.weight`), this.of(`${layer}.linear1.bias`), x));
      return linear(this.of(`${layer}.linear2.weight`), this.of(`${layer}.linear2.bias`), inner);
    }

    /* Tokens (source) -> keys and values of the encoder's output for every layer of the decoder. */
    encode(tokens) {
      let states = tokens.map((token, position) => this.embed("source_embedding.weight", token, position));
      for (let number = 0; number < this.layers; number++) {
        const layer = `encoder.${number}`, name = `${layer}.self_attn`;
        const [queries, keys, values] = [0, 1, 2].map((part) => states.map((x) => this.project(name, part, x)));
        states = states.map((x, i) => {
          const y = this.close(`${layer}.norm1`, x, this.attend(name, queries[i], keys, values).out);
          return this.close(`${layer}.norm2`, y, this.feed(layer, y));
        });
      }
      return Array.from({ length: this.layers }, (_, number) => {
        const name = `decoder.${number}.multihead_attn`;
        return { keys: states.map((x) => this.project(name, 1, x)), values: states.map((x) => this.project(name, 2, x)) };
      });
    }

    /* An empty cache: the keys and values of the words that the decoder has read, for every layer. */
    start() {
      return Array.from({ length: this.layers }, () => ({ keys: [], values: [] }));
    }

    /* One more word -> scores of the next (vocabulary), and the weights of cross-attention, layer × head × source. */
    step(token, memory, cache, isMuted = () => false) {
      let y = this.embed("embedding.weight", token, cache[0].keys.length);
      const cross = [];
      for (let number = 0; number < this.layers; number++) {
        const layer = `decoder.${number}`, own = `${layer}.self_attn`, other = `${layer}.multihead_attn`;
        cache[number].keys.push(this.project(own, 1, y));
        cache[number].values.push(this.project(own, 2, y));
        y = this.close(`${layer}.norm1`, y, this.attend(own, this.project(own, 0, y), cache[number].keys, cache[number].values).out);
        const muted = (head) => isMuted(number, head);
        const read = this.attend(other, this.project(other, 0, y), memory[number].keys, memory[number].values, muted);
        cross.push(read.weights);
        y = this.close(`${layer}.norm2`, y, read.out);
        y = this.close(`${layer}.norm3`, y, this.feed(layer, y));
      }
      return { logits: linear(this.of("embedding.weight"), null, y), cross };
    }

    /* Greedy decoding of tokens that end with </s>: a list of { token, logits, cross }, the end mark with them. */
    translate(tokens, isMuted = () => false) {
      const memory = this.encode(tokens), cache = this.start(), steps = [];
      const longest = Math.floor(1.5 * tokens.length) + 10;
      for (let token = START; token !== END && steps.length < longest; ) {
        const step = this.step(token, memory, cache, isMuted);
        token = step.logits.reduce((best, score, i) => (score > step.logits[best] ? i : best), 0);
        steps.push({ token, ...step });
      }
      return steps;
    }
  };
})();
