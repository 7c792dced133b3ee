/* A beginning of the reader's own: the next word by the model and by the grammar, the cache that fills, and writing on. */
(function () {
  "use strict";
  const live = (globalThis.live = globalThis.live || {}), { element } = live;
  const SHOWN = 8, MOST_WORDS = 30, PAUSE = 250, BYTES = 4;
  const COLUMNS = ["model", "grammar", "drawn"];
  const RANGES = { // name: what it is when nothing is changed, the slider's ends and step, what is shown
    temperature: { usual: 1, min: 0.1, max: 3, step: 0.1, words: (value) => value.toFixed(1) },
    k: { usual: 0, min: 0, max: 20, step: 1, words: (value) => value || "all" },
    p: { usual: 1, min: 0.05, max: 1, step: 0.05, words: (value) => value.toFixed(2) },
  };

  /* Temperature, top-k, top-p, in this order: logits (vocabulary) -> chances (vocabulary), of which some are 0. */
  live.chances = function (logits, temperature, k, p) {
    const all = live.softmax(logits.map((score) => score / temperature)), sum = (kept) => kept.reduce((mass, at) => mass + all[at], 0);
    const ordered = [...all.keys()].sort((a, b) => all[b] - all[a]).slice(0, k || all.length), mass = sum(ordered);
    const kept = [], out = all.map(() => 0);
    let before = 0;
    for (const at of ordered) {
      if (p < 1 && before >= p) break;
      kept.push(at);
      before += all[at] / mass;
    }
    const left = sum(kept);
    for (const at of kept) out[at] = all[at] / left;
    return out;
  };

  /* Each way to go on behind a beginning is a stack of symbols that are still to come, and its probability. All ways are
     followed to their next word: no symbol of this grammar begins with itself, so there are few. */
  const START = [{ stack: ["sentence"], p: 1 }];
  const followed = (rules, ways) => ways.flatMap(({ stack, p }) => {
    if (!stack.length) return [{ word: "</s>", stack, p }];
    const rest = stack.slice(0, -1);
    return rules[stack.at(-1)].flatMap(([right, share]) => (typeof right === "string"
      ? [{ word: right, stack: rest, p: p * share }]
      : followed(rules, [{ stack: [...rest, right[1], right[0]], p: p * share }])));
  });

  /* The probability of each next word behind some words by the grammar, exactly; none if no sentence begins so. */
  live.grammatical = function (rules, words) {
    let ways = START;
    for (const word of words) ways = followed(rules, ways).filter((way) => way.word === word);
    const next = followed(rules, ways), all = next.reduce((sum, way) => sum + way.p, 0), chances = new Map();
    for (const { word, p } of next) chances.set(word, (chances.get(word) ?? 0) + p / all);
    return chances;
  };

  /* A number in [0, 1) that looks like chance, and is always the same for a seed and a position. */
  function drawn(seed, at) {
    let x = Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(at + 1, 0x85ebca6b);
    x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d);
    x = Math.imul(x ^ (x >>> 12), 0x297a2d39);
    return ((x ^ (x >>> 15)) >>> 0) / 2 ** 32;
  }

  /* The cache as columns: those that are kept stay as they are, new ones are drawn and marked. */
  class Columns {
    constructor({ layers, heads, kv_heads, d_model }) {
      Object.assign(this, { layers, heads: kv_heads || heads, width: d_model / heads, kept: 0 });
      const rows = Array.from({ length: layers }, (_, layer) => [`K ${layer + 1}`, `V ${layer + 1}`]).flat();
      this.all = element("div", { class: "live-columns", role: "img" }, element("div", { class: "live-token" }, element("span"), ...rows.map((name) => element("b", {}, name))));
      this.place = element("div", { class: "live-scroll", tabindex: 0, role: "region", "aria-label": "the cache, a column for each token" }, this.all);
      this.bytes = element("p", { class: "live-truth" });
    }

    put(tokens, words, cache, kept) {
      const style = getComputedStyle(this.place), colours = ["--weights", "--state"].map((name) => style.getPropertyValue(name));
      const drawn = String(colours) === String(this.colours) ? kept : 0;
      this.colours = colours;
      while (this.all.children.length > drawn + 1) this.all.lastChild.remove();
      for (let at = drawn; at < tokens.length; at++) this.all.append(this.column(words[at], cache.map((layer) => layer[at])));
      [...this.all.children].slice(1).forEach((column, at) => column.classList.toggle("live-new", at >= kept));
      const { layers, heads, width } = this, size = 2 * layers * heads * width * BYTES, count = (number) => number.toLocaleString("en");
      const news = tokens.length - kept, columns = `${tokens.length} columns, ${kept} kept, ${news} new`;
      this.all.setAttribute("aria-label", `The cache: ${columns}. Each has ${layers} layers of keys and values.`);
      this.bytes.textContent = `The cache: ${columns}. 2 · ${layers} layers · ${heads} KV heads · ${width} numbers · ${tokens.length} tokens · ${BYTES} bytes = ${count(size * tokens.length)} bytes, of which ${count(size * news)} are new. Without it all ${tokens.length} tokens would be read again for each word. ${live.signs}`;
      this.place.scrollLeft = this.place.scrollWidth;
    }

    /* One token: for each layer its key and its value, a row of squares for each head. */
    column(word, layers) {
      const squares = (numbers, role) => {
        const canvas = element("canvas", { style: `--role: var(--${role})` });
        live.squares(canvas, Array.from({ length: this.heads }, (_, head) => numbers.subarray(head * this.width, (head + 1) * this.width)), this.colours);
        return canvas;
      };
      return element("div", { class: "live-token" }, element("span", {}, word), ...layers.flatMap(({ key, value }) => [squares(key, "key"), squares(value, "value")]));
    }
  }

  live.writer = class extends live.Figure {
    static isFromNothing = true;

    constructor(place) {
      super(place);
      this.past = { tokens: [], cache: this.network.start(), logits: [] };
      this.undo = "Type another beginning to go on.";
      this.one = element("button", { type: "button", onclick: () => { this.stop(); this.write(); } }, "write one word");
      this.on = element("button", { type: "button", onclick: () => (this.timer ? this.stop(true) : this.writeOn()) }, "write on");
      this.seed = element("input", { type: "number", min: 1, max: 9999, value: 1, oninput: () => this.keep() });
      this.sliders = Object.fromEntries(Object.entries(RANGES).map(([name, { usual, min, max, step }]) =>
        [name, { shown: element("output"), input: element("input", { type: "range", min, max, step, value: usual, oninput: () => { this.draw(); this.keep(); } }) }]));
      const label = (name, text) => element("label", {}, `${text} `, this.sliders[name].input, this.sliders[name].shown);
      this.next = new live.Choice("the most probable next words: press one to take it", (at) => { this.stop(); this.append(this.order[at]); this.run(); });
      this.next.place.classList.add("live-column");
      this.columns = new Columns(this.network.settings);
      this.floor = element("p", { class: "live-truth" });
      place.replaceChildren(this.field, this.notes,
        element("div", { class: "live-row" }, this.one, this.on, element("label", {}, "seed ", this.seed)), this.status,
        element("div", { class: "live-row" }, label("temperature", "temperature"), label("k", "top k"), label("p", "top p")),
        element("div", { class: "live-heads", "aria-hidden": "true" }, ...["next word", ...COLUMNS].map((name) => element("span", {}, name))),
        this.next.place, this.floor, this.columns.place, this.columns.bytes, this.question(() => this.answer()) ?? "");
      if (!this.restore()) this.run();
    }

    given() {
      const changed = Object.entries(RANGES).filter(([name, { usual }]) => this.setting(name) !== usual).map(([name]) => [name, this.setting(name)]);
      return { ...Object.fromEntries(changed), seed: this.number_of_seed(), ...(this.from < this.words.length ? { from: this.from } : {}) };
    }

    isChanged() { return Object.entries(RANGES).some(([name, { usual }]) => this.setting(name) !== usual); }

    take(state) {
      if (state.has("text")) this.input.value = state.get("text");
      for (const [name, { usual }] of Object.entries(RANGES)) this.sliders[name].input.value = Number(state.get(name) ?? usual) || usual;
      this.seed.value = Math.max(1, Math.floor(Number(state.get("seed"))) || 1);
      this.held = state.has("from") ? Math.max(0, Math.floor(Number(state.get("from"))) || 0) : undefined;
    }

    setting(name) { return Number(this.sliders[name].input.value); }
    number_of_seed() { return Math.floor(Number(this.seed.value)) || 1; }

    other() {
      const words = this.corpus.sentences[Math.floor(Math.random() * this.corpus.sentences.length)].source.split(" ");
      this.use(`${words.slice(0, 1 + Math.floor(Math.random() * Math.min(words.length, 12))).join(" ")} `);
    }

    /* Reads what is new; the past stays in the cache. */
    run(isDrawn = false) {
      if (!isDrawn) this.stop();
      const text = this.input.value, { past } = this, typed = this.read(text.replace(/\.\s*$/, ""));
      this.isEnded = /\.\s*$/.test(text);
      this.from = isDrawn ? this.from : Math.min(this.held ?? this.words.length, this.words.length);
      this.held = undefined;
      const tokens = [live.START, ...typed];
      let kept = 0;
      while (kept < tokens.length && tokens[kept] === past.tokens[kept]) kept++;
      for (const layer of past.cache) layer.length = kept;
      past.logits.length = kept;
      for (const token of tokens.slice(kept)) past.logits.push(this.network.step(token, null, past.cache).logits);
      past.tokens = tokens;
      this.grammar = live.grammatical(this.corpus.rules, this.words);
      this.columns.put(tokens, ["<s>", ...this.words.map(live.cut)], past.cache, kept);
      this.draw();
      this.keep();
    }

    draw() {
      const logits = this.past.logits.at(-1), model = live.softmax(logits), names = this.corpus.source;
      for (const [name, { shown, input }] of Object.entries(this.sliders)) {
        shown.textContent = RANGES[name].words(this.setting(name));
        input.setAttribute("aria-valuetext", shown.textContent);
      }
      this.chances = live.chances(logits, this.setting("temperature"), this.setting("k"), this.setting("p"));
      this.order = [...model.keys()].sort((a, b) => model[b] - model[a]);
      const shown = this.order.slice(0, SHOWN), floor = (token) => this.grammar.get(names[token]) ?? 0;
      this.next.put(shown.map((token) => names[token]), "en", (button, at) => {
        const token = shown[at], shares = [model[token], floor(token), this.chances[token]].map(live.percent);
        const share = (text, column) => element("span", {}, element("span", { class: "live-hidden" }, `, ${COLUMNS[column]} `), text);
        button.replaceChildren(element("span", {}, names[token]), ...shares.map(share));
        live.mark(button, this.chances[token], floor(token));
        button.classList.toggle("live-out", this.chances[token] === 0);
      });
      this.tell(model);
    }

    tell(model) {
      const { percent } = live;
      const lit = this.chances.filter((chance) => chance > 0).length, most = this.order.slice(0, 3).map((token) => `${this.corpus.source[token]} ${percent(model[token])}`);
      if (!this.timer) this.status.textContent = (this.isEnded ? `The sentence has ended: ${this.words.join(" ")}. Write again for another one. ` : "") + `Most probable after ${live.cut(this.words.at(-1) ?? "<s>")}: ${most.join(", ")}. ${lit === model.length ? "All" : lit} of ${model.length} words and marks can be drawn.`;
      const { least, paid, impossible } = live.besides(model, this.grammar, this.number);
      this.impossible = impossible;
      this.floor.textContent = this.grammar.size
        ? `The floor for the next word is ${least.toFixed(3)} nats; the model's loss here, on average, ${paid.toFixed(3)}. It gives ${percent(this.impossible)} to words that the grammar does not allow here.`
        : "No sentence of the grammar begins like this, so there is no floor. The model goes on all the same.";
    }

    answer() {
      return { share: this.impossible, text: `Words that cannot stand here have ${live.percent(this.impossible)} together.` };
    }

    append(token) {
      const word = this.corpus.source[token];
      this.input.value = word === "</s>" ? `${this.words.join(" ")}.` : `${[...this.words, word].join(" ")} `;
      this.input.scrollTop = this.input.scrollHeight;
    }

    /* Draws one word by the chances that are shown; behind the end it begins anew, with another seed. */
    write() {
      if (this.isEnded || this.words.length >= MOST_WORDS) {
        this.seed.value = this.number_of_seed() + 1;
        this.input.value = this.words.slice(0, this.from).map((word) => `${word} `).join("");
        if (this.from >= MOST_WORDS) this.input.value = "";
        this.run(true);
      }
      let left = drawn(this.number_of_seed(), this.words.length);
      this.append(this.order.find((token) => (left -= this.chances[token]) < 0) ?? this.order[0]);
      this.run(true);
    }

    writeOn() {
      const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
      this.on.textContent = "stop";
      const next = () => {
        this.write();
        if (this.isEnded || this.words.length >= MOST_WORDS) this.stop(true);
        else if (isStill) next();
        else this.timer = setTimeout(next, PAUSE);
      };
      this.timer = true;
      next();
    }

    stop(isDone = false) {
      clearTimeout(this.timer);
      this.timer = null;
      if (this.on) this.on.textContent = "write on";
      if (isDone) this.draw();
    }
  };
})();
