/* A figure with one text, that can be typed, and a hand on the model: what all of them have in common. */
(function () {
  "use strict";
  const live = (globalThis.live = globalThis.live || {}), { element } = live;
  const UNKNOWN = 3, MOST_WORDS = 30;
  const LABELS = {
    phrasebook: "A French sentence, in words of the book's small grammar",
    roles: "A French sentence in which somebody does something to somebody, in words of the book's small grammar",
    two_facts: "A French sentence with two facts, in words of the book's small grammar",
    relations: "An English sentence with two marked persons, in words of the book's small grammar",
    grammar: "The beginning of an English sentence, in words of the book's small grammar",
    reviews: "A short review of a film, in words of the book's small grammar",
  };
  const MOST = 1000; // letters of the field, thirty long words
  /* Letter by letter, or taking some away; what is pasted or put there is whole. */
  const isTyped = ({ inputType = "", data }) => /^(insertComposition|delete)/.test(inputType) || (inputType === "insertText" && data?.length <= 2);
  const french = new Set(["phrasebook", "roles", "two_facts"]); // corpora

  live.Figure = class {
    constructor(place) {
      const { corpus, kind, models, sentence } = place.dataset, isFrench = french.has(corpus);
      Object.assign(this, { place, corpus: live.data[corpus], name: kind, isFrench, hand: {}, isUsed: false, networks: [], models: models.split(" ") });
      this.lexicon = new live.Lexicon(this.corpus.source, isFrench, (this.corpus.sentences ?? []).map((each) => each.source));
      this.number = this.lexicon.number;
      this.arrive();
      const id = `live-text-${kind}`;
      this.input = element("textarea", { id, rows: 2, maxlength: MOST, lang: isFrench ? "fr" : "en", spellcheck: "false", autocomplete: "off", autocapitalize: "off", oninput: (event) => this.typed(event), onblur: () => this.finished(), onkeydown: (event) => { if (event.key === "Enter") event.preventDefault(); } });
      this.input.value = sentence;
      this.another = element("button", { type: "button", onclick: () => this.other() }, `another ${kind === "writer" || kind === "head" ? "beginning" : "sentence"}`);
      this.trained = element("button", { type: "button", class: "live-back", disabled: "", onclick: () => this.putBack() }, "put back");
      this.field = element("div", { class: "live-field" }, element("label", { for: id }, LABELS[corpus]), element("div", { class: "live-row" }, this.input, this.another, this.trained));
      this.notes = element("div", { class: "live-notes", tabindex: 0, role: "group", "aria-label": "words that the model knows", onmousedown: (event) => event.preventDefault() }); // the field keeps the focus
      this.status = element("p", { class: "live-status", role: "status" });
      for (const type of ["click", "input", "change", "pointerdown", "keydown"]) place.addEventListener(type, () => { this.isUsed = true; }, true);
      addEventListener("hashchange", () => this.restore());
    }

    /* The models that are there by now; another one makes the figure run again. */
    arrive() {
      const isFirst = !this.networks.length;
      this.networks = this.models.map((model, place) => this.networks[place] ?? (live.data[model] ? new live[model.split("-")[0]](live.data[model]) : null));
      this.network ??= this.networks[0];
      if (!isFirst) this.run();
    }

    typed(event) {
      this.isTyping = isTyped(event);
      this.run();
      this.isTyping = false;
    }

    /* Who leaves the field has finished the last word; what is pressed then stands where it was for a moment. */
    finished() {
      if (this.part) setTimeout(() => { if (this.part && document.activeElement !== this.input) this.run(); }, 300);
    }

    /* The address of a state: #live=translator&text=…&weights=equal */
    restore() {
      const state = new URLSearchParams(location.hash.slice(1));
      if (state.get("live") !== this.name) return false;
      this.isSent = true;
      if (state.has("text")) this.input.value = state.get("text");
      this.take(state);
      this.run();
      return true;
    }

    /* A page that is only read keeps its address. */
    keep() {
      this.recall?.();
      this.trained.disabled = !this.isChanged();
      clearTimeout(this.later);
      if (this.isUsed) this.later = setTimeout(() => history.replaceState(null, "", `#${new URLSearchParams({ live: this.name, text: this.input.value, ...this.given() })}`), 400);
    }

    /* Whether the model is another than the trained one, by this hand. */
    isChanged() { return false; }

    putBack() {
      this.take(new URLSearchParams());
      this.run();
    }

    knows(word) { return this.lexicon.knows(word); }
    get unknown() { return [...new Set(this.words.filter((word) => !this.knows(word)))]; }

    use(text) {
      this.input.value = text;
      this.run();
    }

    /* Half of a sentence's length is read at a glance: at first the page takes those of 6 to 12 words. */
    other(sentences = this.corpus.sentences) {
      const others = sentences.filter((each) => each.source !== this.input.value), length = ({ source }) => live.wordsOf(source, this.isFrench).length;
      const ranges = [[6, 12], [0, MOST_WORDS], [0, Infinity]].map(([least, most]) => others.filter((each) => least <= length(each) && length(each) <= most));
      const from = sentences === this.corpus.sentences ? ranges.find((each) => each.length) : others;
      this.use(from[Math.floor(Math.random() * from.length)].source);
    }

    /* The typed text as words and tokens, `seen` as the model reads it; a word that is still being typed is not read yet. Where
       no word is left, what was read last stays, in grey in the field, but for figures that can begin with none. */
    read(text = this.input.value) {
      const typed = live.wordsOf(text, this.isFrench).map((word) => this.lexicon.meant(word)), last = typed.at(-1);
      const part = this.part = this.isTyping && /\S$/.test(text) && last && !this.knows(last) ? typed.pop() : "";
      if (typed.length || this.constructor.isFromNothing) this.words = typed.slice(0, MOST_WORDS);
      this.words ??= live.wordsOf(this.place.dataset.sentence, this.isFrench);
      this.input.placeholder = this.words.join(" ");
      this.known = this.corpus.sentences.find((each) => each.source === this.words.join(" "));
      this.seen = this.words.map((word) => (this.knows(word) ? word : this.corpus.source[UNKNOWN]));
      this.notes.replaceChildren(...this.note(typed, part));
      return this.words.map((word) => (this.knows(word) ? this.number.get(word) : UNKNOWN));
    }

    /* One line: how an unfinished word may go on, what was not understood, or words to begin with. */
    note(typed, part) {
      const { lexicon } = this, lang = this.isFrench ? "fr" : "en", language = this.isFrench ? "French" : "English";
      const chip = (word, text) => element("button", { type: "button", lang, onclick: () => { this.use(text); this.input.focus(); } }, word);
      const unknown = typed.length ? this.unknown : [], name = (word) => element("strong", { lang }, live.cut(word));
      const after = (word) => chip(word, `${[...typed.slice(0, MOST_WORDS), word].join(" ")} `);
      const chips = (...all) => element("span", { class: "live-chips" }, ...all);
      if (part) {
        const ways = lexicon.beginning(part);
        return ways.length ? ["Going on: ", chips(...ways.map(after))] : [`No word that it knows is like ${live.cut(part)}.`];
      }
      if (typed.length > MOST_WORDS) return [`The model reads the first ${MOST_WORDS} of your ${typed.length} words.`];
      if (unknown.length > 2 && 2 * unknown.length > this.words.length) return [`The model knows ${lexicon.count} ${language} words. Of yours it knows ${this.words.length - unknown.length}, and it reads `, element("code", {}, this.corpus.source[UNKNOWN]), " for each of the others."];
      if (!unknown.length) return ["Words that it knows: ", chips(...lexicon.common(typed).map(after))];
      const word = unknown.at(-1), near = lexicon.near(word), more = unknown.length > 1 ? ` (and ${unknown.length - 1} more)` : "";
      const instead = (other) => chip(other, this.words.map((each) => (each === word ? other : each)).join(" "));
      return ["The model does not know ", name(word), `${more}: it reads `, element("code", {}, this.corpus.source[UNKNOWN]), " there, and guesses.", ...(near.length ? [" Near it: ", chips(...near.map(instead))] : [])];
    }

    /* A question to guess at before it answers: data-question has { ask, set, options: [[words, from, to], …] }. */
    question(answer) {
      if (!this.place.dataset.question) return null;
      const { ask, set, options } = JSON.parse(this.place.dataset.question);
      const result = element("p", { role: "status" });
      let before = null, answered = "";
      const clear = () => { [before, answered] = [null, ""]; result.replaceChildren(); };
      /* An answer goes once the model would give another: after a menu, a press, a key. */
      this.recall = () => { if (answered && (!this.words.length || answer().text !== answered)) clear(); };
      const back = element("button", { type: "button", onclick: () => {
        const state = before;
        clear();
        this.take(state);
        this.run();
      } }, "Put it back");
      const guess = ([words]) => {
        before ??= new URLSearchParams(this.given());
        answered = "";
        this.take(new URLSearchParams(set));
        this.run();
        const { share, text } = answer(), right = options.find(([, from, to]) => share >= from && share < to)[0];
        answered = text;
        result.replaceChildren(`${text} ${right === words ? "You guessed it" : `Not “${words}”`}: ${right}. `, this.undo ?? back);
        result.scrollIntoView({ block: "nearest" });
      };
      const buttons = options.map((option) => element("button", { type: "button", onclick: () => guess(option) }, option[0]));
      return element("div", { class: "live-question" }, element("p", {}, element("strong", {}, "Guess first. "), ask), element("div", { class: "live-row" }, ...buttons), result);
    }
  };
})();
