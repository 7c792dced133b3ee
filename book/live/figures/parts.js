/* What all live figures are made of: elements, the words of a text, unknown words, a choice among words, a guess. */
(function () {
  "use strict";
  const live = (globalThis.live = globalThis.live || {});
  const UNKNOWN = 3, MOST_WORDS = 30, MOST_NOTES = 4, MOST_LETTERS = 30, SVG = ["svg", "path", "text", "rect"];

  live.element = function (tag, attributes = {}, ...children) {
    const made = SVG.includes(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
      else if (value !== null && value !== undefined) made.setAttribute(name, value);
    }
    made.append(...children.filter((child) => child !== null));
    return made;
  };
  const { element } = live;

  /* Words as the corpus cuts them, tokenise of the phrasebook cuts French alike: é is one letter, however it was typed; lower case,
     an apostrophe ends a word, a comma is one, other signs are left out; in English a full stop is a word, too. */
  live.wordsOf = function (text, isFrench = true) {
    const cut = text.normalize("NFC").toLowerCase().replace(/[‘’ʼ]/g, "'").replace(/[!?;:…"“”„«»‹›()]/g, " ").replace(/,/g, " , ");
    const parts = isFrench ? cut.replace(/'/g, "' ").replace(/\./g, " ") : cut.replace(/\./g, " . ");
    return parts.split(/\s+/).filter((word) => word && word !== "'");
  };

  /* The beginning of a long word, by characters: half of an emoji is none. */
  live.cut = function (word) {
    const letters = [...word.slice(0, 2 * MOST_LETTERS + 2)]; // more than enough: no character is longer than 2
    return letters.length > MOST_LETTERS ? `${letters.slice(0, MOST_LETTERS).join("")}…` : word;
  };

  /* In how many letters two words differ (Levenshtein). */
  function distance(a, b) {
    let row = Array.from({ length: b.length + 1 }, (_, i) => i);
    for (let i = 1; i <= a.length; i++) {
      const next = [i];
      for (let j = 1; j <= b.length; j++) next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] !== b[j - 1])));
      row = next;
    }
    return row[b.length];
  }

  /* The three nearest of some words; a word much longer than all of them has none, and costs no search. */
  live.near = function (word, words) {
    if (word.length > Math.max(...words.map((other) => other.length)) + 3) return [];
    const far = (other) => (other.startsWith(word) ? 0 : distance(word, other));
    return words.map((other) => [far(other), other]).sort((a, b) => a[0] - b[0]).slice(0, 3).map(([, other]) => other);
  };

  /* Words in common, in their order (longest common subsequence): the places in `said` that are in `truth`. */
  live.rightPlaces = function (said, truth) {
    const most = Array.from({ length: said.length + 1 }, () => new Array(truth.length + 1).fill(0)), right = new Set();
    for (let i = said.length - 1; i >= 0; i--) for (let j = truth.length - 1; j >= 0; j--)
      most[i][j] = said[i] === truth[j] ? 1 + most[i + 1][j + 1] : Math.max(most[i + 1][j], most[i][j + 1]);
    for (let i = 0, j = 0; i < said.length && j < truth.length; ) {
      if (said[i] === truth[j]) { right.add(i++); j++; } else if (most[i + 1][j] >= most[i][j + 1]) i++; else j++;
    }
    return right;
  };

  live.menu = function (label, options, change) {
    const select = element("select", { onchange: () => change(select.value) }, ...Object.entries(options).map(([value, text]) => element("option", { value }, text)));
    return { select, label: element("label", {}, `${label} `, select) };
  };

  live.box = function (text, change, attributes = {}) {
    const input = element("input", { type: "checkbox", onchange: () => change(input.checked) });
    return { input, label: element("label", { class: "live-box", ...attributes }, input, ` ${text}`) };
  };

  /* Words as buttons, one stop for Tab, the others by arrow keys; `state(button, place)` says how each is marked. */
  live.Choice = class {
    constructor(label, choose) {
      this.choose = choose;
      this.at = 0;
      this.place = element("div", { class: "live-words", role: "group", "aria-label": label, onkeydown: (event) => this.key(event) });
    }

    put(words, lang, state) {
      const had = this.place.contains(document.activeElement);
      this.at = Math.max(0, Math.min(this.at, words.length - 1));
      this.place.replaceChildren(...words.map((word, place) => element("button", { type: "button", lang, onclick: () => { this.at = place; this.choose(place); } }, word)));
      this.mark(state);
      if (had && words.length) this.place.children[this.at].focus();
    }

    mark(state) {
      this.state = state;
      [...this.place.children].forEach((button, place) => {
        button.tabIndex = place === this.at ? 0 : -1;
        state(button, place);
      });
    }

    key(event) {
      const to = { ArrowLeft: this.at - 1, ArrowUp: this.at - 1, ArrowRight: this.at + 1, ArrowDown: this.at + 1, Home: 0, End: this.place.children.length - 1 }[event.key];
      if (to === undefined || event.ctrlKey || event.altKey || event.metaKey || !this.place.children[to]) return;
      event.preventDefault();
      this.at = to;
      this.mark(this.state);
      this.place.children[to].focus();
    }
  };

  live.keys = () => element("span", { class: "by-keys" }, " ← and → go from word to word, Enter presses.");

  /* Bars of the most probable of some names; chances: (names). */
  live.bars = (names, chances, count, lang) => element("ol", { class: "live-bars" }, ...[...chances.keys()]
    .sort((a, b) => chances[b] - chances[a]).slice(0, count)
    .map((place) => element("li", { style: `--share: ${(100 * chances[place]).toFixed(1)}%` },
      element("span", { lang }, names[place]), element("span", {}, `${(100 * chances[place]).toFixed(1)} %`))));

  /* What the colours of numbers say: --weights, --state. */
  live.signs = "Gold: above 0. Blue: below 0. The paler, the nearer to 0.";

  /* Rows of numbers as an image, a pixel a number, the stronger the larger: above 0 in one colour, below in another. */
  live.squares = function (canvas, rows, [above, below]) {
    const most = Math.max(...rows.map((row) => row.reduce((top, x) => Math.max(top, Math.abs(x)), 0))) || 1, pen = canvas.getContext("2d");
    Object.assign(canvas, { width: rows[0].length, height: rows.length });
    rows.forEach((numbers, i) => numbers.forEach((x, j) => {
      if (Math.abs(x) < most / 100) return;
      pen.globalAlpha = Math.abs(x) / most;
      pen.fillStyle = x < 0 ? below : above;
      pen.fillRect(j, i, 1, 1);
    }));
  };

  /* A figure with one text, that can be typed, and a hand on the model: what of it is kept in the address, and who asks. */
  live.Figure = class {
    constructor(place, field) {
      const [corpus, ...models] = ["corpus", "models"].flatMap((part) => place.dataset[part].split(" "));
      Object.assign(this, { place, ...field, corpus: live.data[corpus], name: place.dataset.kind, hand: {} });
      this.networks = models.map((model) => new live[model.split("-")[0]](live.data[model]));
      this.network = this.networks[0];
      this.number = new Map(this.corpus.source.map((word, number) => [word, number]));
      this.isFrench = live.french.has(place.dataset.corpus);
      this.notes = element("div", { class: "live-notes" });
      this.status = element("p", { class: "live-status", role: "status" });
      this.input.addEventListener("input", () => this.run());
      this.another.addEventListener("click", () => this.other());
      addEventListener("hashchange", () => this.restore());
    }

    /* The address of a state: #live=translator&text=…&weights=equal */
    restore() {
      const state = new URLSearchParams(location.hash.slice(1));
      if (state.get("live") !== this.name) return false;
      if (state.has("text")) this.input.value = state.get("text");
      this.take(state);
      this.run();
      return true;
    }

    keep() {
      clearTimeout(this.later);
      this.later = setTimeout(() => history.replaceState(null, "", `#${new URLSearchParams({ live: this.name, text: this.input.value, ...this.given() })}`), 400);
    }

    /* Typed text never has the model's own tokens: </s> is a word that it does not know. */
    knows(word) {
      return this.number.get(word) > UNKNOWN;
    }

    use(text) {
      this.input.value = text;
      this.run();
    }

    other(sentences = this.corpus.sentences) {
      const others = sentences.filter((each) => each.source !== this.input.value);
      const whole = others.filter(({ source }) => live.wordsOf(source, this.isFrench).length <= MOST_WORDS), from = whole.length ? whole : others;
      this.use(from[Math.floor(Math.random() * from.length)].source);
    }

    /* The typed text as words and tokens, `seen` as the model reads it, and a note for each word that it cannot read. */
    read(text = this.input.value) {
      const typed = live.wordsOf(text, this.isFrench);
      this.words = typed.slice(0, MOST_WORDS);
      this.known = this.corpus.sentences.find((each) => each.source === this.words.join(" "));
      const unknown = [...new Set(this.words.filter((word) => !this.knows(word)))];
      this.seen = this.words.map((word) => (this.knows(word) ? word : this.corpus.source[UNKNOWN]));
      this.notes.replaceChildren(...unknown.slice(0, MOST_NOTES).map((word) => this.note(word)));
      if (unknown.length > MOST_NOTES) this.notes.append(element("p", {}, `${unknown.length - MOST_NOTES} more words are unknown, too.`));
      if (typed.length > MOST_WORDS) this.notes.append(element("p", {}, `The model reads the first ${MOST_WORDS} of your ${typed.length} words.`));
      return this.words.map((word) => (this.knows(word) ? this.number.get(word) : UNKNOWN));
    }

    note(word) {
      const use = (other) => () => { this.use(this.words.map((each) => (each === word ? other : each)).join(" ")); this.input.focus(); };
      const lang = this.isFrench ? "fr" : "en";
      const others = live.near(word, this.corpus.source.slice(UNKNOWN + 1)).map((other) => element("button", { type: "button", lang, onclick: use(other) }, other));
      return element("p", {}, "The model does not know ", element("strong", { lang }, live.cut(word)), ": it reads ", element("code", {}, this.corpus.source[UNKNOWN]), " there, and guesses.", ...(others.length ? [" Near it: ", ...others] : []));
    }

    /* A question to guess at before it answers: data-question has { ask, set, options: [[words, from, to], …] }. */
    question(answer) {
      if (!this.place.dataset.question) return null;
      const { ask, set, options } = JSON.parse(this.place.dataset.question);
      const result = element("p", { role: "status" });
      let before = null;
      const back = element("button", { type: "button", onclick: () => {
        this.take(before);
        this.run();
        before = null;
        result.replaceChildren();
      } }, "Put it back");
      const guess = ([words]) => {
        before ??= new URLSearchParams(this.given());
        this.take(new URLSearchParams(set));
        this.run();
        const { share, text } = answer(), right = options.find(([, from, to]) => share >= from && share < to)[0];
        result.replaceChildren(`${text} ${right === words ? "You guessed it" : `Not “${words}”`}: ${right}. `, this.undo ?? back);
        result.scrollIntoView({ block: "nearest" });
      };
      const buttons = options.map((option) => element("button", { type: "button", onclick: () => guess(option) }, option[0]));
      return element("div", { class: "live-question" }, element("p", {}, element("strong", {}, "Guess first. "), ask), element("div", { class: "live-row" }, ...buttons), result);
    }
  };
})();
