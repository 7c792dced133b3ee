/* One head of the language model whole: query under keys, scores, mask and softmax, values that shrink into the context. */
(function () {
  "use strict";
  const live = (globalThis.live = globalThis.live || {}), { element } = live;
  const MOST = 9, ROOM = 1.1, STAY = 5, COME = 3; // words; of a vector's largest number; rows of the next words that stay, and that come
  const STEPS = ["products", "scores", "weights", "context"], PAUSES = [2200, 1800, 2200]; // milliseconds behind each step
  const HINT = "Drag a bar up or down, a score or a weight sideways: everything computed from it follows, up to the next word.";
  const { short } = live, largest = (rows) => Math.max(...rows.map((row) => row.reduce((most, x) => Math.max(most, Math.abs(x)), 0))) || 1;
  const times = (x, y) => x.map((number, i) => number * y[i]), sum = (list) => list.reduce((all, x) => all + x, 0);

  /* Steps that an arrow key shows at once. */
  class Steps extends live.Choice {
    key(event) {
      const before = this.at;
      super.key(event);
      if (this.at !== before) this.choose(this.at);
    }
  }

  live.head = class extends live.Figure {
    static isFromNothing = true;

    constructor(place) {
      super(place);
      Object.assign(this, { changes: new live.Changes(), step: STEPS.length, tokens: [], sent: new URLSearchParams() });
      const { layers, heads, d_model } = this.network.settings;
      this.width = d_model / heads;
      this.all = Array.from({ length: layers * heads }, (_, at) => [Math.floor(at / heads), at % heads]);
      this.menu = live.menu("head", Object.fromEntries(this.all.map((_, at) => [at, ""])), (at) => { [this.layer, this.head] = this.all[at]; this.show(); });
      this.off = live.box("off", (isOff) => { const of = [this.layer, this.head, "o", 0]; this.use_changes(isOff ? this.changes.set(of, [[0, 1]]) : this.changes.without(of, 0)); });
      this.steps = new Steps("steps", (at) => { this.stop(); this.go(at + 1); });
      this.steps.put(STEPS.map((name, at) => `${at + 1} ${name}`), "en", () => {});
      this.plays = element("button", { type: "button", onclick: () => this.start() }, "Play");
      this.back = element("button", { type: "button", onclick: () => this.use_changes(new live.Changes()) }, "put back");
      this.asks = new live.Choice("words: press one, and it asks", (at) => { this.query = at; this.show(); });
      this.grid = element("div", { class: "live-grid" });
      this.read_out = element("p", { class: "live-read", "aria-hidden": "true" });
      this.next = new live.NextWords(STAY, COME);
      const keys = element("span", { class: "by-keys" }, " By keys, in a vector: ← and → choose a number, ↑ and ↓ change it; on a score or a weight: ← and → change it. Page Up and Page Down go from word to word, Delete puts a number back."), touch = element("span", { class: "by-touch" }, " With a finger, touch a vector first, then draw one of its bars.");
      this.caption = element("p", { class: "live-truth" }, `A bar above its line is a number above 0. Positions have turned query and keys already; each of the ${heads} heads has keys and values of its own. The mask hides what comes after the word that asks.`, keys, touch);
      place.replaceChildren(this.field, this.notes,
        element("div", { class: "live-controls" }, this.menu.label, this.off.label, this.steps.place, this.plays, this.back),
        element("div", { class: "live-head" }, this.grid, this.next.place), this.status, this.caption, this.question(() => this.answer()) ?? "");
      if (!this.restore()) this.run();
    }

    given() {
      const step = this.step < STEPS.length ? { step: this.step } : {}, set = this.changes.count ? { set: this.changes.text } : {};
      return { layer: this.layer + 1, head: this.head + 1, query: this.query, ...step, ...set };
    }

    take(state) { this.sent = state; }

    other() {
      super.other(this.corpus.sentences.filter(({ source }) => { const { length } = source.split(" "); return length > 3 && length <= MOST; }));
    }

    /* A word that is asked for may come behind the last; a whole sentence asks by the last word but one, and hides the last. */
    run() {
      const tokens = [live.START, ...this.read(this.input.value.replace(/\.\s*$/, "")).slice(0, MOST)];
      if (this.words.length > MOST) this.notes.replaceChildren(`The figure shows the first ${MOST} words.`);
      this.words = this.words.slice(0, MOST);
      if (String(tokens) !== String(this.tokens)) this.sent ??= new URLSearchParams();
      if (this.tokens.length !== tokens.length) this.build(tokens.length);
      if (this.sent) this.begin(tokens);
      this.show();
    }

    begin(tokens) {
      const { layers, heads } = this.network.settings, isWhole = live.grammatical(this.corpus.rules, this.words).has("</s>");
      const number = (name, least, most, otherwise) => { const n = Number(this.sent.get(name) ?? NaN); return Number.isInteger(n) && n >= least && n <= most ? n : otherwise; };
      this.tokens = tokens;
      this.rest = live.traced(this.network, tokens);
      this.query = number("query", 0, tokens.length - 1, Math.max(0, tokens.length - (isWhole ? 2 : 1)));
      if (this.layer === undefined) [this.layer, this.head] = live.missed(this.network, tokens.slice(0, this.query + 1), this.grammar_here(), this.number);
      this.layer = number("layer", 1, layers, this.layer + 1) - 1;
      this.head = number("head", 1, heads, this.head + 1) - 1;
      this.step = number("step", 1, STEPS.length, this.sent.has("layer") ? STEPS.length : this.step);
      this.changes = live.Changes.read(this.sent.get("set"), this.network.settings, tokens.length);
      this.asks.put(this.names, "en", () => {});
      this.sent = this.looked = null;
    }

    get names() { return ["<s>", ...this.words.map(live.cut)]; }

    grammar_here() { return live.grammatical(this.corpus.rules, this.words.slice(0, this.query)); }

    /* The table for so many tokens: a column for the words, and one for each kind of number. */
    build(count) {
      const words = [...Array(count).keys()], of = (make) => words.map(make), strip = (role, name) => (word) => new live.Strip(role, this.width, this.holds(name, word));
      const column = (name, title, stack, foot = "") => element("div", { class: `live-col live-col-${name}` }, element("div", { class: "live-title" }, title), stack, element("div", { class: "live-foot" }, foot));
      const letter = (role) => element("div", { class: `live-letter live-${role}` }, role), stack = (label, handles) => new live.Stack(label, handles).place;
      Object.assign(this, { q: strip("query", "q")(), k: of(strip("key", "k")), p: of(() => new live.Strip("product", this.width)), s: of((word) => new live.Score(this.holds("s", word))) });
      Object.assign(this, { w: of((word) => new live.Share(this.holds("w", word))), v: of(strip("value", "v")), c: new live.Strip("context", this.width) });
      this.grid.replaceChildren(letter("query"), this.q.place, this.read_out, column("words", "", this.asks.place), column("k", "keys", stack("keys", this.k)),
        column("p", "query × key", stack("products", this.p)), column("s", `sum ÷ √${this.width}`, stack("scores", this.s)),
        column("w", "softmax", stack("weights", this.w), letter("context")), column("v", "weight × value", stack("values", this.v), this.c.place));
    }

    /* What a handle does: its number is one of a vector, or in the query's row that of a word. */
    holds(name, word) {
      const isRow = name === "s" || name === "w", of = () => [this.layer, this.head, name, isRow || name === "q" ? this.query : word];
      const set = (value, i) => this.use_changes(this.changes.set(of(), [[isRow ? word : i, value]], this.query));
      return {
        set: name === "w" ? (share, row) => { if (row.length > 1 && word < row.length) this.use_changes(this.changes.set(of(), live.shared(row, word, share).map((part, i) => [i, part]))); } : set,
        row: () => [...this.now.of[this.layer][this.head].w[this.query]],
        back: (i) => this.use_changes(this.changes.without(of(), isRow ? word : i)),
        look: (i) => this.look(name, word, i),
        changes: () => this.changes,
        restore: (changes) => this.use_changes(changes),
      };
    }

    use_changes(changes) {
      this.changes = changes;
      this.grid.classList.remove("live-moves");
      this.show();
    }

    show() {
      this.now = this.changes.count ? live.traced(this.network, this.tokens, this.changes) : this.rest;
      this.grammar = this.grammar_here();
      this.chances = [this.rest, this.now].map(({ logits }) => live.softmax(logits[this.query]));
      this.draw();
      if (this.isShown) this.keep(); // the address is of what a reader has done
      this.isShown = true;
    }

    draw() {
      const { layer, head, query, names } = this, asked = names[query];
      const rest = this.rest.of[layer][head], now = this.now.of[layer][head], changed = (name, place) => this.changes.at(layer, head, name, place);
      const weights = [...now.w[query], ...Array(names.length).fill(0)], scores = live.scored(now, query, changed("s", query));
      const [ask, scale, most, high] = [[rest.q[query]], rest.k, rest.k.map((key) => times(key, rest.q[query])), rest.v].map((rows) => ROOM * largest(rows));
      this.q.put(now.q[query], ask, { changed: changed("q", query), label: `query of ${asked}` });
      names.forEach((word, at) => {
        this.k[at].put(now.k[at], scale, { behind: now.q[query].map((number) => (number * scale) / ask), changed: changed("k", at), label: `key of ${word}` });
        this.p[at].put(times(now.k[at], now.q[query]), most);
        this.s[at].put(scores[at], Boolean(changed("s", query)?.has(at)), `score of ${word}`);
        this.w[at].put(weights[at], Boolean(at <= query && changed("w", query)), `weight of ${word}`, at > query ? "hidden" : undefined);
        this.v[at].put(now.v[at], high, { behind: now.v[at], part: weights[at], changed: changed("v", at), label: `value of ${word}` });
        for (const each of [this.k, this.p, this.s, this.w, this.v]) this.row(each[at].place, at);
      });
      this.c.put(now.c[query], high);
      this.asks.at = query;
      this.asks.mark((button, at) => { button.setAttribute("aria-pressed", at === query); this.row(button, at); });
      this.next.put(this.corpus.source, ...this.chances, this.grammar, this.number);
      this.next.title.replaceChildren("After ", element("em", { lang: "en" }, asked), " comes");
      this.tell(names, weights);
    }

    row(place, at) {
      place.classList.toggle("live-asked", at === this.query);
      place.classList.toggle("live-later", at > this.query);
    }

    tell(names, weights) {
      const { layers, heads } = this.network.settings, top = weights.indexOf(Math.max(...weights)), isOff = this.changes.at(this.layer, this.head, "o", 0);
      this.grid.setAttribute("data-step", this.step);
      this.steps.at = this.step - 1;
      this.steps.mark((button, at) => button.setAttribute("aria-pressed", at === this.step - 1));
      [...this.menu.select.children].forEach((option, at) => { option.textContent = `${this.all[at][1] + 1} of layer ${this.all[at][0] + 1}${this.isChangedAt(at) ? " •" : ""}`; });
      this.menu.select.value = this.all.findIndex(([layer, head]) => layer === this.layer && head === this.head);
      this.off.input.checked = Boolean(isOff);
      this.back.disabled = !this.changes.count;
      const heads_changed = this.all.filter((_, at) => this.isChangedAt(at)).length;
      const word = (at) => element("em", { lang: "en" }, names[at]);
      this.status.replaceChildren(`Head ${this.head + 1} of layer ${this.layer + 1}: `, word(this.query), " gives most of its weight to ", word(top), `, ${short(weights[top])}. ${heads_changed ? `Changed: ${heads_changed} of ${layers * heads} heads.` : "Nothing is changed."}`);
      this.explain();
    }

    isChangedAt(at) { return [...this.changes.lists.keys()].some((key) => key.startsWith(`${this.all[at].join(".")}.`)); }

    /* The number that is pointed at, a place in a vector or a word of a row; null is none. */
    look(name, word, i) {
      this.looked = i === null ? null : [name, word, i];
      this.explain();
    }

    /* How it came about; all numbers of one place in the vectors are marked. */
    explain() {
      const [name, , i] = this.looked ?? [], isVector = Boolean(name) && "qkv".includes(name);
      this.read_out.textContent = this.looked ? this.sum(...this.looked) : HINT;
      this.grid.classList.toggle("live-look-k", isVector && name !== "v");
      this.grid.classList.toggle("live-look-v", name === "v");
      if (isVector) this.grid.style.setProperty("--at", i);
    }

    sum(name, word, i) {
      const { names } = this, { q, k, v, w } = this.now.of[this.layer][this.head], row = w[this.query], asks = q[this.query];
      if (name === "q") return `Number ${i + 1} of the query of ${names[this.query]}: ${short(asks[i])}`;
      if (name === "k") return `Number ${i + 1}: query ${short(asks[i])} × key of ${names[word]} ${short(k[word][i])} = ${short(asks[i] * k[word][i])}`;
      if (name === "v") return `Number ${i + 1}: value of ${names[word]} ${short(v[word][i])} × weight ${short(row[word] ?? 0)} = ${short(v[word][i] * (row[word] ?? 0))}`;
      if (word > this.query) return `${names[word]} comes later: the mask hides it, whatever its score.`;
      if (name === "s") return `The 16 products of ${names[word]} have the sum ${short(sum(times(asks, k[word])))}; ÷ √16: ${short(sum(times(asks, k[word])) / Math.sqrt(k[word].length))}`;
      return `The weights of ${row.length} words: ${[...row].map((x) => short(x)).join(" + ")} = 1`;
    }

    go(step) {
      this.step = step;
      this.grid.classList.add("live-moves");
      this.draw();
      this.keep();
    }

    /* Each step once; where nothing shall move, each press is a step. */
    start() {
      this.stop();
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) return this.go((this.step % STEPS.length) + 1);
      this.go(1);
      const next = () => {
        this.go(this.step + 1);
        this.timer = this.step < STEPS.length ? setTimeout(next, PAUSES[this.step - 1]) : null;
      };
      this.timer = setTimeout(next, PAUSES[0]);
    }

    stop() { clearTimeout(this.timer); }

    answer() {
      const { impossible } = live.besides(this.chances[1], this.grammar, this.number);
      return { share: impossible, text: `Words that cannot stand here have ${live.percent(impossible)} together.` };
    }
  };
})();
