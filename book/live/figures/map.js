/* A map that lies: a sentence with the weights of two models, the label of each below them. Weights are painted, or put to a test. */
(function () {
  "use strict";
  const live = (globalThis.live = globalThis.live || {}), { element } = live;
  const WHOLE = 100, SHOWN = 3, LONGEST = 22; // weights that are painted are whole hundredths, the address keeps them exactly
  const NAMES = ["base", "adversary"];
  const TESTS = { erase: "erase the heaviest word", move: "move its weight to the other words", swap: "give each the other's weights" };
  const percent = (share) => `${(100 * share).toFixed(1)} %`;

  /* What two models say of a text: with their own weights, those that are painted, or under a test. A word that is erased is gone. */
  live.judged = function (networks, tokens, test = "", painted = []) {
    const own = networks.map((network) => network.read(tokens, {}));
    return networks.map((network, m) => {
      const heaviest = live.best(own[m].weights[0]), left = tokens.filter((_, place) => place !== heaviest);
      if (test === "erase") {
        const { logits, weights } = network.read(left, {});
        return { logits, weights: tokens.map((_, place) => (place === heaviest ? 0 : weights[0][place - (place > heaviest)])), own: own[m], gone: heaviest };
      }
      const hand = { move: { mute: new Set([heaviest]) }, swap: { given: own[1 - m].weights[0] } }[test] ?? (painted[m] ? { given: Float32Array.from(painted[m], (part) => part / WHOLE) } : {});
      const { logits, weights } = network.read(tokens, hand);
      return { logits, weights: [...weights[0]], own: own[m], gone: -1 };
    });
  };

  live.map = class extends live.Figure {
    constructor(place) {
      super(place);
      this.painted = [null, null];
      this.test = "";
      this.counts = JSON.parse(place.dataset.counts);
      this.sides = NAMES.map((name) => ({
        says: element("p", { class: "live-ask" }),
        bars: element("div", { class: "live-weights", role: "group", "aria-label": `weights of the ${name}` }),
        labels: element("div", { class: "live-next" }),
      }));
      this.buttons = Object.entries(TESTS).map(([test, text]) => [test, element("button", { type: "button", onclick: () => this.put(this.test === test ? "" : test) }, text)]);
      place.replaceChildren(this.field, this.notes, ...this.sides.flatMap(({ says, bars, labels }) => [says, bars, labels]), this.table(), this.status);
      if (!this.restore()) this.run();
    }

    /* The tests, and for each how often the label changes. */
    table() {
      const { texts } = this.counts, head = NAMES.map((name) => element("th", { scope: "col" }, name));
      const caption = element("caption", {}, `Three tests, and in how many of ${texts} test sentences the label changes:`);
      const cell = (count) => element("td", { style: `--share: ${(100 * count / texts).toFixed(1)}%` }, `${count}`);
      const rows = this.buttons.map(([test, button]) => element("tr", {}, element("th", { scope: "row" }, button), ...this.counts[test].map(cell)));
      return element("table", { class: "live-tests" }, caption, element("thead", {}, element("tr", {}, element("td"), ...head)), element("tbody", {}, ...rows));
    }

    other() { super.other(this.corpus.sentences.filter(({ source }) => source.split(" ").length <= LONGEST)); }

    /* Of the address: w=92-8-0-…_0-…, an empty row where nothing was painted; test=erase. */
    given() {
      const w = this.painted.map((row) => (row ?? []).join("-")).join("_");
      return { ...(w === "_" ? {} : { w }), ...(this.test ? { test: this.test } : {}) };
    }

    take(state) { this.sent = state; }
    isChanged() { return this.test !== "" || this.painted.some(Boolean); }

    follow(state) {
      (state.get("w") || "").split("_").slice(0, 2).map((row) => row.split("-").map(Number)).forEach((row, m) => {
        const isRow = row.length === this.words.length && row.every((part) => Number.isInteger(part) && part >= 0) && row.reduce((a, b) => a + b) === WHOLE;
        if (isRow) this.painted[m] = row;
      });
      if (Object.hasOwn(TESTS, state.get("test") ?? "")) this.test = state.get("test");
    }

    put(test) {
      Object.assign(this, { test, painted: [null, null] });
      this.draw();
      this.keep();
    }

    run() {
      this.tokens = this.read();
      Object.assign(this, { test: "", painted: [null, null] });
      if (this.sent) this.follow(this.sent);
      this.sent = null;
      const evidence = new Set(this.known ? this.known.evidence : []);
      this.sides.forEach(({ bars }, m) => {
        const row = () => this.painted[m] ?? live.parts(this.now[m].weights, WHOLE);
        const go = (place) => { if (bars.children[place]) { this.stop(bars, place); bars.children[place].focus(); } };
        bars.replaceChildren(...this.seen.map((word, place) => live.weightBar(word, place, "en", row, (to) => this.paint(m, to), go)));
        [...bars.children].forEach((bar, place) => bar.classList.toggle("live-evident", evidence.has(place)));
        this.stop(bars, 0);
      });
      this.draw();
      this.keep();
    }

    /* Of a row of bars one is a stop for Tab. */
    stop(bars, at) { [...bars.children].forEach((bar, place) => bar.setAttribute("tabindex", place === at ? 0 : -1)); }

    paint(m, row) {
      this.test = ""; // the row goes on from what the test has shown
      this.painted[m] = row;
      this.draw();
      this.keep();
    }

    draw() {
      const isText = this.words.length > 1;
      for (const [test, button] of this.buttons) {
        button.disabled = !isText;
        button.setAttribute("aria-pressed", test === this.test);
      }
      for (const { says, bars, labels } of this.sides) for (const each of [says, bars, labels]) each.hidden = !isText;
      if (!isText) { this.status.textContent = "Too little to read: type a sentence, or take another one."; return; }
      this.now = live.judged(this.networks, this.tokens, this.test, this.painted);
      const labels = this.now.map((now, m) => this.show(m, now));
      this.status.textContent = this.inWords(labels);
    }

    show(m, { logits, weights, own, gone }) {
      const { says, bars, labels } = this.sides[m], [now, before] = [logits, own.logits].map((each) => live.softmax(each));
      const [label, first] = [now, before].map((chances) => this.corpus.labels[live.best(chances)]), strong = (text) => element("strong", {}, text);
      [...bars.children].forEach((bar, place) => {
        live.showBar(bar, weights[place], `weight of ${this.seen[place]}, ${NAMES[m]}`);
        bar.classList.toggle("live-gone", place === gone);
      });
      const whose = this.test === "swap" ? `with the weights of the ${NAMES[1 - m]}` : this.painted[m] ? "with your weights" : this.test ? "now" : "with its own weights";
      says.replaceChildren(`The ${NAMES[m]}, ${whose}, says `, strong(label), label === first ? "." : `. It said ${first}.`);
      says.classList.toggle("live-changed", label !== first);
      labels.replaceChildren(live.bars(this.corpus.labels, now, SHOWN, "en"));
      return { label, first, p: now[live.best(before)], was: before[live.best(before)] };
    }

    inWords(labels) {
      const truth = this.known ? `The truth is ${this.known.label}; the words that decide are underlined. ` : "";
      return truth + labels.map(({ label, first, p, was }, m) => `The ${NAMES[m]} gives ${first} ${p === was ? percent(p) : `${percent(p)} in place of ${percent(was)}`}${label === first ? "" : ": its label changes"}.`).join(" ");
    }
  };
})();
