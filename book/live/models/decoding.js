const START = 1, END = 2;

/* What models have in common. this.all has every table by PyTorch's name. A model has read(tokens, hand) -> memory, start(memory) -> state and
   step(token, memory, state, hand) -> { logits, weights }. */
class Network {
  constructor({ settings, tensors }) {
    Object.assign(this, { settings, all: {} });
    for (const name in tensors) this.all[name] = unpack(tensors[name]);
  }

  /* The rows of the tokens: a list of (width). */
  embed(table, tokens) {
    return tokens.map((token) => row(this.all[`${table}.weight`], token));
  }

  bothWays(place, step, tokens) {
    return bothWays(this.all, `${place}network`, step, this.embed(`${place}embedding`, tokens));
  }

  linear(name, x) {
    return linear(this.all, name, x);
  }

  /* Scores of each next word while the words are forced: a list of (vocabulary). */
  forced(tokens, words, hand = {}) {
    const memory = this.read(tokens, hand), state = this.start(memory);
    return words.map((word) => this.step(word, memory, state, hand).logits);
  }

  /* Greedy decoding of tokens that end with </s>: a list of { token, logits, weights }. */
  translate(tokens, hand = {}) {
    const memory = this.read(tokens, hand), state = this.start(memory), steps = [];
    for (let token = START; token !== END && steps.length <= 1.5 * tokens.length + 9; ) {
      const step = this.step(token, memory, state, hand);
      token = best(step.logits);
      steps.push({ token, ...step, read: memory.weights });
    }
    return steps;
  }
}
