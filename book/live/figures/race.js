/* One sentence through four models side by side: where the one vector loses it. */
(function () {
  "use strict";
  const live = (globalThis.live = globalThis.live || {}), { element } = live;

  live.race = class extends live.Figure {
    constructor(place, field) {
      super(place, field);
      const titles = JSON.parse(place.dataset.titles);
      this.lanes = this.networks.map((network, lane) => {
        const said = element("p", { class: "live-said", lang: "en" }), score = element("span", { class: "live-score" });
        return { network, said, score, place: element("div", { class: "live-lane" }, element("p", {}, element("strong", {}, titles[lane]), " ", score), said) };
      });
      this.slider = element("input", { type: "range", min: 3, max: 30, step: 1, value: 18, oninput: () => this.pick() });
      this.length = element("span", {}, "");
      this.truth = element("p", { class: "live-truth" });
      place.replaceChildren(this.field, this.notes,
        element("div", { class: "live-row" }, element("label", {}, "a made sentence of so many words ", this.slider), this.length),
        ...this.lanes.map((lane) => lane.place), this.truth, this.status);
      this.status.classList.add("live-hidden");
      if (!this.restore()) this.run();
    }

    given() { return {}; }
    take() {}

    other() { super.other(this.ofLength(this.words.length)); }
    pick() { super.other(this.ofLength(Number(this.slider.value))); }

    ofLength(count) {
      const same = this.corpus.sentences.filter((each) => each.source.split(" ").length === count);
      return same.length > 1 ? same : this.corpus.sentences;
    }

    /* Each lane in a task of its own, so that typing never waits for four models. */
    run() {
      const tokens = [...this.read(), live.END], turn = (this.turn = {}), scores = [];
      this.slider.value = this.words.length;
      this.length.textContent = `${this.words.length} words`;
      this.truth.replaceChildren(...(this.known ? ["True translation: ", element("span", { lang: "en" }, this.known.target)] : ["Your own sentence has no true translation here, so nothing is marked."]));
      const next = (place) => {
        if (turn !== this.turn) return; // the reader has typed on
        if (place === this.lanes.length) { this.status.textContent = scores.join(" "); return; }
        const lane = this.lanes[place];
        scores.push(this.put(lane, this.words.length ? lane.network.translate(tokens) : []));
        setTimeout(next, 0, place + 1);
      };
      next(0);
      this.keep();
    }

    put({ said, score, place }, steps) {
      const words = steps.map((step) => this.corpus.target[step.token]).filter((word) => word !== "</s>");
      const truth = this.known ? this.known.target.split(" ") : words, right = live.rightPlaces(words, truth);
      said.replaceChildren(...words.flatMap((word, at) => [right.has(at) ? word : element("mark", { title: "not in the true translation, or not here" }, word), " "]));
      const tooMany = words.length > truth.length ? `, ${words.length - truth.length} too many` : "";
      score.textContent = this.known ? `${right.size} of ${truth.length} words right${tooMany}` : "";
      return `${place.querySelector("strong").textContent}: ${words.join(" ") || "nothing"}. ${score.textContent}`;
    }
  };
})();
