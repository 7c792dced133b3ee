/* The reader's own text through a classifier: the words shaded by their weights, faded when muted, and the labels. */
(function () {
  "use strict";
  const live = (globalThis.live = globalThis.live || {}), { element } = live;
  const WEIGHTS = { "": "as trained", equal: "equal", sharpest: "all on the largest", shuffled: "shuffled" };
  const AWAY = { pooling: {}, structured: {}, self_attention: { root: "the root √d_k", positions: "the positions" } };
  const READ = "Press a word to take its state out of the sum. The other states have read it all the same.";
  const MUTE = { pooling: READ, structured: READ, self_attention: "Press a word to mute it: it gets no weight." };
  const ROWS = { pooling: "", structured: "hop", self_attention: "query" };

  live.classifier = class extends live.Figure {
    constructor(place) {
      super(place);
      this.kind = place.dataset.models.split(/[- ]/)[0];
      const titles = JSON.parse(place.dataset.titles || "[]");
      this.model = live.menu("model", titles, (value) => { this.network = this.networks[value]; this.run(); });
      this.hand = { mute: new Set(), weights: "" };
      this.row = -1; // the mean of all rows
      this.text = new live.Choice("words, pressed is muted", (at) => { if (!this.hand.mute.delete(at)) this.hand.mute.add(at); this.run(); });
      this.rows = element("select", { onchange: () => { this.row = Number(this.rows.value); this.draw(); this.keep(); } });
      const set = (value) => { this.hand.weights = value; this.run(); };
      this.weights = live.menu("weights", WEIGHTS, set);
      this.away = live.menu("take away", { "": "nothing", ...AWAY[this.kind] }, (value) => { this.without(value); this.run(); });
      this.labels = element("div", { class: "live-next" });
      this.matrices = this.kind === "self_attention" ? new live.matrices(() => this.keep()) : null;
      const rows = ROWS[this.kind] ? [element("label", {}, `${ROWS[this.kind]} `, this.rows)] : [];
      const away = Object.keys(AWAY[this.kind]).length ? [this.away.label] : [];
      place.replaceChildren(this.field, this.notes, element("div", { class: "live-row" }, ...(titles.length ? [this.model.label] : []), ...rows, this.weights.label, ...away), element("p", { class: "live-ask" }, MUTE[this.kind], live.keys()), this.text.place, this.labels, this.matrices?.place ?? "", this.question(() => this.answer()) ?? "", this.status);
      if (!this.restore()) this.run();
    }

    without(part) {
      for (const each of Object.keys(AWAY[this.kind])) delete this.hand[each];
      if (Object.hasOwn(AWAY[this.kind], part)) this.hand[part] = false;
    }

    given() {
      const away = Object.keys(AWAY[this.kind]).find((part) => this.hand[part] === false), mute = [...this.hand.mute].map((each) => each + 1).join(",");
      return Object.fromEntries(Object.entries({ weights: this.hand.weights, mute, away, row: this.row < 0 ? "" : this.row + 1, matrix: this.matrices?.state, model: this.networks.indexOf(this.network) }).filter(([, value]) => value));
    }

    isChanged() { return this.hand.mute.size > 0 || this.hand.weights !== "" || Object.keys(AWAY[this.kind]).some((part) => this.hand[part] === false); }

    take(state) {
      const weights = Object.hasOwn(WEIGHTS, state.get("weights")) ? state.get("weights") : "";
      this.hand = { weights, mute: new Set((state.get("mute") || "").split(",").map((each) => Number(each) - 1).filter((each) => each >= 0)) };
      this.row = (Math.floor(Number(state.get("row"))) || 0) - 1;
      this.network = this.networks[Number(state.get("model") ?? NaN)] ?? this.network ?? this.networks[0];
      this.without(state.get("away"));
      if (this.matrices) this.matrices.state = state.get("matrix");
    }

    run() {
      this.tokens = this.read();
      this.hand.mute = new Set([...this.hand.mute].filter((each) => each < this.words.length));
      this.result = this.network.read(this.tokens, this.hand);
      this.row = Math.min(this.row, this.result.weights.length - 1);
      const names = this.kind === "structured" ? this.result.weights.map((_, hop) => `hop ${hop + 1}`) : this.words.map(live.cut);
      this.rows.replaceChildren(element("option", { value: -1 }, "all, their mean"), ...(this.result.weights.length > 1 ? names : []).map((name, row) => element("option", { value: row }, name)));
      this.rows.value = this.row;
      this.weights.select.value = this.hand.weights;
      this.model.select.value = this.networks.indexOf(this.network);
      this.away.select.value = this.given().away ?? "";
      this.draw();
      this.keep();
    }

    /* The weight of each word: of the chosen row, or the mean of all rows. */
    shown() {
      const rows = this.row < 0 ? this.result.weights : [this.result.weights[this.row]];
      return this.words.map((_, place) => rows.reduce((sum, row) => sum + row[place], 0) / rows.length);
    }

    answer() {
      const [before, now] = [{}, this.hand].map((hand) => live.softmax(this.network.read(this.tokens, hand).logits)), best = live.best(before);
      const percent = (chance) => `${(100 * chance).toFixed(1)} %`;
      return { share: before[best] - now[best], text: `${this.corpus.labels[best]} had ${percent(before[best])}, now ${percent(now[best])}.` };
    }

    draw() {
      const shades = this.shown(), evidence = new Set(this.known ? this.known.evidence : []);
      this.text.put(this.seen, this.isFrench ? "fr" : "en", (button, place) => {
        button.setAttribute("aria-pressed", this.hand.mute.has(place));
        button.setAttribute("aria-label", `${this.seen[place]}, weight ${live.short(shades[place])}`);
        button.style.setProperty("--shade", `${Math.round(100 * Math.min(1, shades[place]))}%`);
        button.classList.toggle("live-evident", evidence.has(place));
      });
      this.matrices?.put(this.seen, this.result.matrices, this.row);
      const chances = live.softmax(this.result.logits);
      this.labels.replaceChildren(live.bars(this.corpus.labels, chances, 3, "en"));
      const most = [...shades.keys()].sort((a, b) => shades[b] - shades[a]).slice(0, 3).map((place) => `${/\p{L}/u.test(this.seen[place]) ? this.seen[place] : `“${this.seen[place]}”`} ${live.short(shades[place])}`);
      const best = live.best(chances), truth = this.known ? ` The truth is ${this.known.label}; the words that decide are underlined.` : "";
      this.status.textContent = `The model says ${this.corpus.labels[best]}. Most weight: ${most.join(", ")}.${truth}`;
    }
  };
})();
