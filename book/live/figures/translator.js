/* The reader's own sentence through one translation model: arcs, probable next words, and a hand on the weights. */
(function () {
  "use strict";
  const live = (globalThis.live = globalThis.live || {}), { element } = live;
  const LINE = 25, TOP = 34, THICKEST = 9, LEAST = 0.05, FAINT = 0.12;
  const WIDE = { width: 560, left: 150, right: 410 }, SMALL = { width: 420, left: 130, right: 290 }; // of the drawing, of one of several
  const HEADS = { "": "their mean", apart: "each apart" };
  const WEIGHTS = { "": "as trained", equal: "equal", sharpest: "all on the largest", shuffled: "shuffled" };
  const HELD = { held: "those of the first word, held" };
  const AWAY = {
    encoder_decoder: {},
    bahdanau: { tanh: "the tanh" },
    luong: { fed: "input feeding" },
    transformer: { root: "the root √d_k", positions: "the positions" },
  };
  const HALVES = "The upper half was read from the left, the lower half from the right.";
  const USES = { cross: "cross-attention", encoder: "encoder self-attention", decoder: "decoder self-attention" };

  live.translator = class extends live.Figure {
    constructor(place) {
      super(place);
      this.kind = place.dataset.models;
      this.heads = this.kind === "transformer" ? this.network.settings.heads : 1;
      this.colours = this.heads > 1 ? JSON.parse(place.dataset.colours) : ["var(--weights)"];
      this.hand = { off: new Set(), mute: new Set(), weights: "", use: "cross", kept: 1, heads: "" };
      this.tallest = 0;
      this.look = (at) => { this.chosen = at; this.show(); };
      this.output = new live.Choice("translation, a word to look at", this.look);
      this.source = new live.Choice("source words, pressed is muted", (at) => this.toggle(this.hand.mute, at));
      this.drawing = element("div", { class: "live-arcs" });
      this.next = element("div");
      this.chosen = Number(place.dataset.pressed ?? 0); // a word that tells something
      this.changed = element("p", { class: "live-loss" });
      const [hands, boxes] = this.controls();
      place.replaceChildren(this.field, this.notes, this.output.place, this.status,
        element("div", { class: "live-beside" }, this.drawing, element("div", { class: "live-next" }, this.next, boxes, this.changed)), hands,
        this.question(() => this.answer()) ?? "");
      if (!this.restore()) this.run();
    }

    controls() {
      const set = (part) => (value) => { this.hand[part] = value; this.run(); };
      this.boxes = Array.from({ length: this.heads > 1 ? this.heads : 0 }, (_, head) =>
        live.box(`head ${head + 1}`, () => this.toggle(this.hand.off, head), { style: `--head: ${this.colours[head]}` }));
      this.menus = { use: live.menu("attention", USES, set("use")), weights: live.menu("weights", { ...WEIGHTS, ...(this.heads > 1 ? {} : HELD) }, set("weights")), heads: live.menu("heads", HEADS, (value) => { this.hand.heads = value; this.draw(); this.keep(); }) };
      this.menus.away = live.menu("take away", { "": "nothing", ...AWAY[this.kind] }, (value) => this.without(value));
      this.gold = live.box("true links", () => this.draw());
      this.slider = element("input", { type: "range", min: 0, max: 1, step: 0.125, value: 1, oninput: () => { this.hand.kept = Number(this.slider.value); this.run(); } });
      const isOne = this.kind === "encoder_decoder", menus = [this.heads > 1 && this.menus.use, !isOne && this.menus.weights, !isOne && this.menus.away];
      this.hands = element("details", {}, element("summary", {}, isOne ? "Leave words or numbers out" : "Change the model: mute words, move weights, take parts away"),
        element("div", { class: "live-row" }, isOne ? "Leave a word out: " : "Mute a word: ", this.source.place),
        element("div", { class: "live-row" }, ...menus.filter(Boolean).map(({ label }) => label), isOne ? element("label", {}, "numbers of the vector that are kept ", this.slider) : ""));
      return [this.hands, element("div", { class: "live-row" }, this.heads > 1 ? this.menus.heads.label : "", ...this.boxes.map(({ label }) => label), isOne ? "" : this.gold.label)];
    }

    without(part) {
      for (const each of Object.keys(AWAY[this.kind])) delete this.hand[each];
      if (Object.hasOwn(AWAY[this.kind], part)) this.hand[part] = false;
      this.run();
    }

    toggle(set, member) {
      if (!set.delete(member)) set.add(member);
      this.run();
    }

    /* What of the hand stands in the address: weights=equal&off=2&mute=3,4&away=root&use=encoder&kept=.5 */
    given() {
      const { off, mute, weights, use, kept, heads } = this.hand, list = (set) => [...set].map((each) => each + 1).sort((a, b) => a - b).join(",");
      const away = Object.keys(AWAY[this.kind]).find((part) => this.hand[part] === false);
      return Object.fromEntries(Object.entries({ weights, off: list(off), mute: list(mute), away, use: use === "cross" ? "" : use, kept: kept < 1 ? kept : "", heads }).filter(([, value]) => value || value === 0));
    }

    isChanged() { return Object.keys(this.given()).some((part) => part !== "use" && part !== "heads"); }

    take(state) {
      const set = (part) => new Set((state.get(part) || "").split(",").map((each) => Number(each) - 1).filter((each) => each >= 0));
      const one = (part, known) => (Object.hasOwn(known, state.get(part)) ? state.get(part) : "");
      const kept = Number(state.get("kept") ?? 1);
      this.hand = { off: set("off"), mute: set("mute"), weights: one("weights", { ...WEIGHTS, ...HELD }), use: one("use", USES) || "cross", kept: kept >= 0 && kept <= 1 ? kept : 1, heads: one("heads", HEADS) };
      if (one("away", AWAY[this.kind])) this.hand[state.get("away")] = false;
      this.hands.open = Object.keys(this.given()).some((part) => part !== "off");
    }

    run() {
      const tokens = [...this.read(), live.END], { hand, network, words } = this;
      hand.mute = new Set([...hand.mute].filter((each) => each < words.length));
      this.steps = network.translate(tokens, hand);
      this.said = this.steps.map((step) => this.corpus.target[step.token]);
      this.isTouched = this.isChanged();
      const key = tokens.join();
      if (!this.isTouched) this.own = this.said;
      else if (key !== this.ownOf) this.own = network.translate(tokens).map((step) => this.corpus.target[step.token]);
      this.ownOf = key;
      this.tokens = tokens;
      if (this.chosen >= this.steps.length) this.chosen = Math.max(0, (this.steps.length - 1) >> 1); // a word, not the end
      this.source.put(words.map(live.cut), "fr", (button, place) => button.setAttribute("aria-pressed", hand.mute.has(place)));
      this.boxes.forEach(({ input }, head) => { input.checked = !hand.off.has(head); });
      for (const part of ["use", "weights", "heads"]) this.menus[part].select.value = hand[part];
      this.menus.away.select.value = this.given().away ?? "";
      this.slider.value = hand.kept;
      this.tell();
      this.show(true);
      this.keep();
    }

    /* How many words are others than without a hand, and what the true translation costs. */
    answer() {
      const same = live.rightPlaces(this.said, this.own).size, count = Math.max(this.said.length, this.own.length);
      return { share: count ? 1 - same / count : 0, text: `${count - same} of ${count} words changed.` };
    }

    loss(hand) {
      const number = new Map(this.corpus.target.map((word, place) => [word, place]));
      const truth = [...this.known.target.split(" ").map((word) => number.get(word) ?? 3), live.END];
      const logits = this.network.forced(this.tokens, [live.START, ...truth.slice(0, -1)], hand);
      return logits.reduce((sum, scores, i) => sum - Math.log(live.softmax(scores)[truth[i]]), 0) / truth.length;
    }

    tell() {
      clearTimeout(this.losing);
      this.changed.textContent = this.isTouched ? this.answer().text : "";
      if (this.known) this.losing = setTimeout(() => { // a task of its own: the answer does not wait for it
        const trained = this.isTouched ? `, ${live.short(this.loss({}), 3)} as trained` : "";
        this.changed.textContent += ` Loss on the true translation, “${this.known.target}”, the mean of −log p of its words: ${live.short(this.loss(this.hand), 3)}${trained}.`;
      }, 100);
    }

    show(isNew = false) {
      const same = live.rightPlaces(this.said, this.own);
      const state = (button, place) => {
        button.setAttribute("aria-pressed", place === this.chosen);
        button.classList.toggle("live-other", !same.has(place));
      };
      if (isNew) { this.output.at = this.chosen; this.output.put(this.said, "en", state); } else this.output.mark(state);
      this.draw();
      this.probable();
      const said = this.said.filter((word) => word !== "</s>").join(" ");
      this.status.replaceChildren(element("span", { class: "live-hidden" }, said && `Translation: ${said}. `), this.reading());
    }

    /* Left and right words of the drawing, and for each right word the weights of the heads, heads × left. */
    view() {
      const source = [...this.seen, "</s>"], { use } = this.hand;
      if (use === "encoder") return [source, source, this.steps.length ? this.steps[0].read : []];
      if (use === "decoder") return [["<s>", ...this.said.slice(0, -1)], this.said, this.steps.map((step) => step.own)];
      return [source, this.said, this.steps.map((step) => step.weights)];
    }

    draw() {
      if (this.kind === "encoder_decoder") return this.drawing.replaceChildren(...(this.steps.length ? [this.vector(), element("p", { class: "live-key" }, `${live.signs} ${HALVES}`)] : []));
      const { heads, off, use } = this.hand, [left, right, rows] = this.view(), on = this.boxes.map((_, head) => head).filter((head) => !off.has(head));
      this.gold.label.hidden = !this.known || use !== "cross" || this.known.target !== this.said.slice(0, -1).join(" ");
      const mean = (row) => left.map((_, from) => (this.heads > 1 ? on.reduce((sum, head) => sum + (row[head][from] || 0), 0) / (on.length || 1) : row[0]?.[from] || 0));
      const all = (name) => `Arcs${name} from ${right.length} words to the words that they attend to. ${this.reading()}`;
      this.drawing.classList.toggle("live-several", heads === "apart" && this.heads > 1);
      this.drawing.replaceChildren(...(this.drawing.classList.contains("live-several")
        ? this.boxes.map((_, head) => this.arcs(left, right, rows.map((row) => (off.has(head) ? [] : row[head])), { ...SMALL, colour: this.colours[head], name: all(` of head ${head + 1}`) }))
        : [this.arcs(left, right, rows.map(mean), { ...WIDE, colour: "var(--weights)", name: all(this.heads > 1 ? ", the mean of the heads," : "") })]));
    }

    /* Two columns of words, and a line for each weight; the chosen word's lines are strong, the others faint. rows: right × left. */
    arcs(left, right, rows, { width, left: from, right: to, colour, name }) {
      const y = (place) => TOP + LINE * place + LINE / 2, middle = (from + to) / 2;
      this.tallest = Math.max(this.tallest, TOP + LINE * Math.max(left.length, right.length)); // the page stays where it is while one types
      const svg = element("svg", { class: "cover", role: "img", viewBox: `0 0 ${width} ${this.tallest}`, "aria-label": name });
      const curve = (start, end, attributes) => svg.append(element("path", { d: `M${from + 6} ${y(start)}C${middle} ${y(start)} ${middle} ${y(end)} ${to - 6} ${y(end)}`, fill: "none", ...attributes }));
      const isAll = this.hand.use === "encoder"; // no word of the translation asks there
      const order = [...rows.keys()].sort((a, b) => (a === this.chosen) - (b === this.chosen));
      for (const place of order) rows[place].forEach((weight, word) => {
        if (weight >= LEAST) curve(word, place, { style: `stroke: ${colour}`, "stroke-width": (THICKEST * weight).toFixed(2), "stroke-opacity": isAll || place === this.chosen ? 1 : FAINT });
      });
      if (this.gold.input.checked && !this.gold.label.hidden) this.known.links.forEach(([word, place]) => curve(word, place, { class: "live-link", "stroke-dasharray": "2 4" }));
      const column = (words, x, anchor, attributes) => words.forEach((word, place) => svg.append(element("text", { x, y: y(place) + 5, "text-anchor": anchor, ...attributes(place) }, word.slice(0, 14))));
      column(left, from, "end", () => ({}));
      column(right, to, "start", (place) => ({ class: place === this.chosen ? "live-asks live-chosen" : "live-asks", onclick: () => this.look(place) }));
      return svg;
    }

    /* The one vector as squares, a number each: above 0 in one colour, below in another, the stronger the larger. */
    vector() {
      const { c } = this.network.read(this.tokens, this.hand), cols = 32, size = 16;
      const svg = element("svg", { class: "cover", role: "img", viewBox: `0 0 ${cols * size} ${(c.length / cols) * size}`, "aria-label": `The vector of the sentence: ${c.length} numbers, ${c.filter((number) => number === 0).length} of them 0.` });
      c.forEach((number, i) => svg.append(element("rect", { x: (i % cols) * size, y: Math.floor(i / cols) * size, width: size - 2, height: size - 2, class: number < 0 ? "live-below" : "live-above", "fill-opacity": Math.abs(number).toFixed(2) })));
      return svg;
    }

    /* Where the chosen word has most weight, in words. */
    reading() {
      const [left, right, rows] = this.view();
      if (!rows[this.chosen]?.length || this.hand.use === "encoder") return "";
      const mean = left.map((_, from) => rows[this.chosen].reduce((sum, weights) => sum + (weights[from] || 0), 0) / rows[this.chosen].length);
      const most = [...mean.keys()].sort((a, b) => mean[b] - mean[a]).slice(0, 3);
      return `${right[this.chosen]} attends to ${most.map((from) => `${left[from]} ${live.short(mean[from])}`).join(", ")}. Press another word.`;
    }

    /* The five most probable words where the chosen one stands. */
    probable() {
      if (!this.steps[this.chosen]) return this.next.replaceChildren();
      const chances = live.softmax(this.steps[this.chosen].logits);
      this.next.replaceChildren(
        element("p", {}, "Most probable here, for the word ", element("strong", { lang: "en" }, this.said[this.chosen]), ":"),
        live.bars(this.corpus.target, chances, 5, "en"));
    }
  };
})();
