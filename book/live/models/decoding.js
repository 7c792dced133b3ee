/* What every translation model does. */

const START = 1, END = 2;

/* this.all has every table by PyTorch's name. A model has read(tokens, hand) -> memory, start(memory) -> state and
   step(token, memory, state, hand) -> { logits, weights }. */
class Translates {
  constructor({ settings, tensors }) {
    this.settings = settings;
    this.all = Object.fromEntries(Object.entries(tensors).map(([name, stored]) => [name, unpack(stored)]));
  }

  /* The rows of the tokens: a list of (width). */
  embed(table, tokens) {
    return tokens.map((token) => embed(this.all[`${table}.weight`], token));
  }

  linear(name, x) {
    return layer(this.all, name, x);
  }

  /* Scores of each next word while the words are forced: a list of (vocabulary). */
  forced(tokens, words, hand = {}) {
    const memory = this.read(tokens, hand), state = this.start(memory);
    return words.map((word) => this.step(word, memory, state, hand).logits);
  }

  /* Greedy decoding of tokens that end with </s>: a list of { token, logits, weights }. */
  translate(tokens, hand = {}) {
    const memory = this.read(tokens, hand), state = this.start(memory), steps = [];
    const longest = Math.floor(1.5 * tokens.length) + 10;
    for (let token = START; token !== END && steps.length < longest; ) {
      const step = this.step(token, memory, state, hand);
      token = best(step.logits);
      steps.push({ token, ...step, read: memory.weights });
    }
    return steps;
  }
}
