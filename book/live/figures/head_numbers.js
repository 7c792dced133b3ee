/* The numbers of all heads of a language model for some tokens, and what a reader has changed of them. */
(function () {
  "use strict";
  const live = (globalThis.live = globalThis.live || {});
  const WHOLE = 100, MOST = 10000; // numbers are whole hundredths: an address keeps them exactly
  const BEHIND = { q: "sw", k: "sw", s: "w", w: "", v: "", o: "" }; // what is computed of a number, and then no longer set by hand

  /* Numbers that are set by hand. Each list has a name: layer.head.q.position for a query, k and v for key and value, s and w for
     the scores and weights of a query's row, o for a head that is switched off. A list has some of its numbers, a row of weights all. */
  live.Changes = class {
    constructor(lists = new Map()) { this.lists = lists; }

    get count() { return this.lists.size; }

    at(...of) { return this.lists.get(of.join(".")); }

    /* The changes with one number more; `query` is the row whose scores and weights follow it. */
    set([layer, head, name, place], numbers, query) {
      const lists = new Map(this.lists), key = [layer, head, name, place].join(".");
      lists.set(key, new Map(name === "w" ? numbers : [...(lists.get(key) ?? []), ...numbers]));
      for (const each of BEHIND[name]) {
        const list = [layer, head, each, query].join("."), old = lists.get(list);
        if (each === "s" && name === "k" && old) { // of the other keys' scores none has moved
          const left = new Map([...old].filter(([word]) => word !== place));
          if (left.size) lists.set(list, left); else lists.delete(list);
        } else lists.delete(list);
      }
      return new live.Changes(lists);
    }

    /* Without a list, or without one number of it. */
    without([layer, head, name, place], number) {
      const lists = new Map(this.lists), key = [layer, head, name, place].join("."), left = new Map(lists.get(key) ?? []);
      left.delete(number);
      if (left.size && name !== "w") lists.set(key, left); else lists.delete(key);
      return new live.Changes(lists);
    }

    /* Sets what is changed of the numbers of a list. */
    lay(numbers, ...of) {
      const list = this.at(...of);
      if (of[2] === "c") { if (this.at(of[0], of[1], "o", 0)) numbers.fill(0); return; }
      list?.forEach((value, i) => { if (i < numbers.length) numbers[i] = value / WHOLE; });
    }

    /* Of the address: 2.3.w.6.0.100.1.0_1.1.q.6.4.-25, layers and heads counted from 1. */
    get text() {
      return [...this.lists].map(([key, list]) => {
        const [layer, head, name, place] = key.split(".");
        return [Number(layer) + 1, Number(head) + 1, name, place, ...[...list].flat()].join(".");
      }).join("_");
    }

    /* What of a text can be changes of a model for so many tokens; all else is left out. */
    static read(text, { layers, heads, d_model }, tokens) {
      const lists = new Map(), width = d_model / heads, below = (number, most) => Number.isInteger(number) && number >= 0 && number < most;
      for (const each of text ? text.split("_") : []) {
        const [layer, head, name, place, ...rest] = each.split(".").map((part, i) => (i === 2 ? part : Number(part)));
        const pairs = Array.from({ length: rest.length / 2 }, (_, i) => [rest[2 * i], rest[2 * i + 1]]), values = pairs.map(([, value]) => value);
        const size = { q: width, k: width, v: width, s: tokens, w: place + 1, o: 1 }[name];
        const isPlace = below(layer - 1, layers) && below(head - 1, heads) && below(place, name === "o" ? 1 : tokens) && size && rest.length && rest.length % 2 === 0;
        const isRow = name !== "w" || (pairs.length === size && new Map(pairs).size === size && values.every((value) => value >= 0) && values.reduce((sum, value) => sum + value, 0) === WHOLE);
        if (isPlace && isRow && pairs.every(([i, value]) => below(i, size) && Number.isInteger(value) && Math.abs(value) <= MOST))
          lists.set([layer - 1, head - 1, name, place].join("."), new Map(pairs));
      }
      return new live.Changes(lists);
    }
  };

  /* Reads tokens with what is changed: of[layer][head] has q, k and v of each position, turned where positions turn them, and
     s, w and c, the scores, weights and context of each position's row; logits has those of each next word. */
  live.traced = function (network, tokens, changes = new live.Changes()) {
    const { layers, heads, kv_heads, d_model } = network.settings, width = d_model / heads, shared = heads / (kv_heads || heads);
    const of = Array.from({ length: layers }, () => Array.from({ length: heads }, () => ({ q: [], k: [], v: [], s: [], w: [], c: [] })));
    const touch = (layer, position, name, numbers, only) => of[layer].forEach((kept, head) => {
      if (only !== undefined && only !== head) return;
      const at = Math.floor(head / (name === "q" ? 1 : shared)) * width, part = only === undefined ? numbers.subarray(at, at + width) : numbers;
      changes.lay(part, layer, head, name, position);
      kept[name].push(part.slice());
    });
    const cache = network.start();
    return { of, logits: tokens.map((token) => network.step(token, null, cache, { touch }).logits) };
  };

  /* The layer and the head without which words that cannot come after some tokens gain most. */
  live.missed = function (network, tokens, grammar, number) {
    const { layers, heads } = network.settings, all = Array.from({ length: layers * heads }, (_, at) => [Math.floor(at / heads), at % heads]);
    const wrong = all.map((head) => {
      const { logits } = live.traced(network, tokens, new live.Changes().set([...head, "o", 0], [[0, 1]]));
      return live.besides(live.softmax(logits.at(-1)), grammar, number).impossible;
    });
    return all[wrong.indexOf(Math.max(...wrong))];
  };

  /* The score of a query with each key, those that the mask hides among them, as they were before the mask. */
  live.scored = ({ q, k, s }, query, set) => k.map((key, word) => (word <= query ? s[query][word]
    : set?.has(word) ? set.get(word) / WHOLE : key.reduce((sum, number, i) => sum + number * q[query][i], 0) / Math.sqrt(key.length)));
})();
