/* The reader is the attention: weights set on the French words for each English one, and a loss beside the model's. */
(function () {
  "use strict";
  const live = (globalThis.live = globalThis.live || {}), { element } = live;
  const WHOLE = 100, SHOWN = 4, MOST = { source: 5, target: 8 }; // bars wide enough for a finger; weights are whole hundredths, the address keeps them exactly
  const KEYS = { ArrowUp: 5, ArrowRight: 5, ArrowDown: -5, ArrowLeft: -5, PageUp: 20, PageDown: -20, Home: -WHOLE, End: WHOLE };
  const total = (row) => row.reduce((sum, part) => sum + part, 0);
  const short = (share, digits = 2) => live.short(Math.max(0, share), digits);
  const mean = (steps) => total(steps.map(({ p }) => -Math.log(p))) / steps.length;

  /* Whole parts of a whole, in proportion to some numbers: the largest remainders are rounded up. */
  const parts = (live.parts = function (numbers, whole) {
    const sum = total(numbers), exact = numbers.map((number) => (whole * number) / sum), row = exact.map(Math.floor);
    const order = [...row.keys()].sort((a, b) => (exact[b] - row[b]) - (exact[a] - row[a]));
    order.slice(0, whole - total(row)).forEach((at) => row[at]++);
    return row;
  });

  /* A row of weights, one of them set: the others share what is left as they did before, or alike if they had nothing. */
  live.shared = function (row, at, to) {
    const others = row.filter((_, place) => place !== at), rest = parts(total(others) ? others : others.map(() => 1), WHOLE - to);
    return [...rest.slice(0, at), to, ...rest.slice(at)];
  };

  /* One of the weights of a row: its height is dragged, or moved by keys. With `go`, ← and → go to other words. */
  live.weightBar = function (word, place, lang, row, set, go = null) {
    let held = null;
    const to = (before, share) => set(live.shared(before, place, Math.max(0, Math.min(WHOLE, share))));
    const hold = (event) => {
      if (event.type === "pointerdown") { bar.setPointerCapture(event.pointerId); bar.focus(); held = row(); }
      if (!held) return;
      event.preventDefault();
      const { top, height } = track.getBoundingClientRect();
      to(held, Math.round((WHOLE * (top + height - event.clientY)) / height)); // of what was there before: drawn back, all is as it was
    };
    const drop = () => { held = null; };
    const key = (event) => {
      if (!KEYS[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (go && step) go(place + step); else to(row(), row()[place] + KEYS[event.key]);
    };
    const track = element("i"), slider = { role: "slider", tabindex: 0, "aria-orientation": "vertical", "aria-valuemin": 0, "aria-valuemax": 1 };
    const bar = element("div", { class: "live-weight", ...slider, onpointerdown: hold, onpointermove: hold, onpointerup: drop, onpointercancel: drop, onkeydown: key }, element("span"), track, element("b", { lang }, word));
    return bar;
  };

  live.showBar = function (bar, share, label) {
    bar.style.setProperty("--share", `${Math.round(100 * share)}%`);
    bar.firstChild.textContent = short(share);
    for (const [name, value] of Object.entries({ label, valuenow: share, valuetext: short(share) })) bar.setAttribute(`aria-${name}`, value);
  };

  /* What the model gives to each true word, the words before it being true: by these weights, target × source, or by its own. */
  live.attended = function (network, tokens, truth, rows) {
    const memory = network.read(tokens, {}), state = network.start(memory);
    return truth.map((word, i) => {
      const { logits, weights } = network.step(i ? truth[i - 1] : live.START, memory, state, rows ? { given: Float32Array.from(rows[i], (part) => part / WHOLE) } : {});
      const chances = live.softmax(logits);
      return { chances, weights: weights[0], p: chances[word] };
    });
  };

  live.game = class extends live.Figure {
    constructor(place) {
      super(place);
      this.words_of_target = new Map(this.corpus.target.map((word, number) => [word, number]));
      this.all = [{ source: this.input.value, target: place.dataset.truth }, ...this.corpus.sentences].filter((each) => this.isPlayable(each));
      this.english = new live.Choice("English words: press one to set its weights", (at) => this.go(at));
      this.ask = element("p", { class: "live-ask" });
      this.bars = element("div", { class: "live-weights", role: "group", "aria-label": "your weights" });
      this.says = element("div", { class: "live-next" });
      this.board = element("div", { class: "live-beside live-board" });
      const button = (text, press, kind = null) => element("button", { type: "button", class: kind, onclick: press }, text);
      this.back = button("back", () => this.go(this.at - 1));
      this.next = button("next word", (event) => this.go(this.at + 1, event.detail === 0), "live-on");
      this.same = button("all alike", () => this.set(this.equal));
      this.reveal = button("show the model's weights", () => { this.isShown = true; this.show(); this.keep(); }, "live-on");
      const anew = button("start anew", () => { this.run(); this.bars.firstChild.focus({ preventScroll: true }); });
      this.row = element("div", { class: "live-row" }, this.back, this.next, this.reveal, this.same, anew, this.another);
      this.status.classList.add("live-verdict");
      place.replaceChildren(this.english.place, this.ask, element("div", { class: "live-beside" }, this.bars, this.says), this.board, this.status, this.row);
      if (!this.restore()) this.run();
    }

    isPlayable({ source, target }) {
      const [french, english] = [source, target].map((text) => text.split(" "));
      return french.length <= MOST.source && english.length <= MOST.target && french.every((word) => this.knows(word)) && english.every((word) => this.words_of_target.has(word));
    }

    other() { super.other(this.all); }

    /* Of the address: at=3&w=92-8-0-0-0_20-…&weights=shown, an empty row where nothing was set. */
    given() {
      const w = this.rows.map((row) => (String(row) === String(this.first) ? "" : row.join("-"))).join("_");
      return { at: this.at + 1, w, ...(this.isShown ? { weights: "shown" } : {}) };
    }

    take(state) { this.sent = state; }

    follow(state) {
      (state.get("w") || "").split("_").map((row) => row.split("-").map(Number)).forEach((row, i) => {
        const isRow = row.length === this.source.length && row.every((part) => Number.isInteger(part) && part >= 0) && total(row) === WHOLE;
        if (isRow && this.rows[i]) this.rows[i] = row;
      });
      this.at = this.most = Math.min(Math.max(Math.floor(Number(state.get("at"))) || 1, 1) - 1, this.rows.length);
      this.isShown = state.get("weights") === "shown";
    }

    run() {
      const source = live.wordsOf(this.input.value).join(" "), { target } = (this.known = this.all.find((each) => each.source === source) ?? this.all[0]);
      this.input.value = this.known.source;
      this.source = [...this.known.source.split(" "), "</s>"];
      this.words = target.split(" ");
      this.tokens = [...this.source.slice(0, -1).map((word) => this.number.get(word)), live.END];
      this.truth = this.words.map((word) => this.words_of_target.get(word));
      this.equal = parts(this.source.map(() => 1), WHOLE);
      this.first = this.source.map((_, place) => (place ? 0 : WHOLE)); // equal ones would leave nothing to do: many words come out right
      this.rows = this.words.map(() => this.first);
      Object.assign(this, { at: 0, most: 0, isShown: false, own: live.attended(this.network, this.tokens, this.truth) });
      if (this.sent) this.follow(this.sent);
      this.sent = null;
      this.bars.replaceChildren(...this.source.map((word, place) => this.bar(word, place)));
      this.english.at = Math.min(this.at, this.words.length - 1);
      this.english.put(this.words, "en", () => {});
      this.show();
      this.keep();
    }

    go(at, isByKey = false) {
      this.at = Math.max(0, Math.min(at, this.words.length));
      this.most = Math.max(this.most, this.at);
      this.show();
      this.keep();
      if (isByKey) (this.at < this.words.length ? this.bars.firstChild : this.reveal).focus();
    }

    set(row) {
      this.rows[this.at] = row;
      this.show();
      this.keep();
    }

    bar(word, place) { return live.weightBar(word, place, "fr", () => this.rows[this.at], (row) => this.set(row)); }

    show() {
      this.steps = live.attended(this.network, this.tokens, this.truth, this.rows);
      const isEnd = this.at === this.words.length;
      this.english.mark((button, place) => {
        button.setAttribute("aria-pressed", place === this.at);
        button.replaceChildren(this.words[place], " ", element("small", {}, place <= this.most ? short(this.steps[place].p) : "·"));
        button.setAttribute("aria-label", `${this.words[place]}${place <= this.most ? ` ${short(this.steps[place].p)}, its probability` : " ·, not yet"}`);
      });
      for (const each of [this.bars, this.says, this.same]) each.hidden = isEnd;
      this.board.hidden = !isEnd;
      this.back.disabled = this.at === 0;
      this.next.hidden = isEnd;
      this.next.textContent = this.at === this.words.length - 1 ? "your loss" : "next word";
      this.reveal.hidden = !isEnd || this.isShown;
      if (isEnd) this.end(); else this.step();
    }

    step() {
      const { at, words, steps, rows } = this, word = words[at], { chances, p } = steps[at];
      this.ask.replaceChildren(`Word ${at + 1} of ${words.length}: where does `, element("strong", { lang: "en" }, word), " come from? Drag the bars, or move them with the arrow keys.");
      [...this.bars.children].forEach((bar, place) => live.showBar(bar, rows[at][place] / WHOLE, `weight of ${this.source[place]} for ${word}`));
      const list = live.bars(this.corpus.target, chances, SHOWN, "en"), one = live.bars([word], [p], 1, "en").firstChild;
      const own = [...list.children].find((each) => each.firstChild.textContent === word) ?? one;
      own.classList.add("live-true");
      if (own === one) list.append(one);
      this.says.replaceChildren(element("p", {}, "The model's next word is ", element("strong", { lang: "en" }, this.corpus.target[live.best(chances)]), ":"), list);
      const strong = (text) => element("strong", {}, text), before = at ? [" So far, the mean of ", `${at + 1} words: `, strong(short(mean(steps.slice(0, at + 1)), 3)), "."] : [];
      this.status.replaceChildren(`The model gives `, element("em", { lang: "en" }, word), " the probability ", strong(short(p, 3)), ": a loss of ", strong(short(-Math.log(p), 3)), " nats.", ...before);
    }

    /* The reader's weights and probabilities beside the model's, whose weights are shown when asked for. */
    end() {
      const { steps, own, rows } = this, [yours, its] = [mean(steps), mean(own)].map((loss) => short(loss, 3));
      this.ask.textContent = "Both read the same true words; only the weights differ. Press a word to set its weights again.";
      this.board.replaceChildren(
        this.map("Your weights", yours, rows.map((row) => row.map((part) => part / WHOLE)), steps),
        this.map("The model's weights", its, this.isShown ? own.map(({ weights }) => [...weights]) : null, own));
      const verdict = yours === its ? "They are alike." : `${Number(yours) < Number(its) ? "Yours" : "The model's"} is the smaller one.`;
      this.status.replaceChildren("Your loss: ", element("strong", {}, yours), " nats a word. The model's: ", element("strong", {}, its), `. ${verdict}`);
    }

    map(title, loss, rows, steps) {
      const head = element("tr", {}, element("td"), ...this.source.map((word) => element("th", { scope: "col", lang: "fr" }, word)), element("th", { scope: "col" }, "p"));
      const cell = (share) => element("td", { style: `--w: ${share.toFixed(3)}` }, share < 0.005 ? "" : short(share));
      const body = this.words.map((word, i) => element("tr", {}, element("th", { scope: "row", lang: "en" }, word),
        ...(rows ? rows[i].map(cell) : this.source.map(() => element("td", { class: "live-secret" }, "?"))), element("td", { class: "live-p" }, short(steps[i].p))));
      const caption = element("caption", {}, `${title}: loss `, element("strong", {}, loss), " nats a word");
      return element("div", { class: "live-map" }, element("table", {}, caption, element("thead", {}, head), element("tbody", {}, ...body)));
    }
  };
})();
