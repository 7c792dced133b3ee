/* One sentence through several models on one clock: what each holds of it, what it writes, and where the one vector loses it. */
(function () {
  "use strict";
  const live = (globalThis.live = globalThis.live || {}), { element } = live;
  const TICK = 260, READ = 90, COLS = 64, SHADES = 8;
  const PLOT = { width: 440, height: 170, left: 36, right: 250, top: 12, bottom: 126 };

  live.race = class extends live.Figure {
    static isGradual = true;

    constructor(place) {
      super(place);
      const [titles, curves] = ["titles", "curves"].map((name) => JSON.parse(place.dataset[name]));
      Object.assign(this, { curves, titles, colours: JSON.parse(place.dataset.colours), tick: Infinity, picked: null });
      const still = [...place.querySelectorAll(".live-said")].map((said) => [...said.children]);
      this.lanes = titles.map((title, lane) => {
        const said = new live.Choice(`${title}: press a word to see where it comes from`, (at) => this.pick(lane, at)), score = element("span", { class: "live-tally" });
        const strip = element("div", { class: "live-shares", "aria-hidden": "true" });
        said.place.classList.add("live-said");
        const head = element("p", {}, element("b", { class: "live-dot", style: `--head: ${this.colours[lane]}` }), element("strong", {}, title), " ", score);
        return { title, said, score, strip, still: still[lane] ?? [], place: element("div", { class: "live-lane" }, head, strip, said.place) };
      });
      this.slider = element("input", { type: "range", min: 3, max: 30, step: 1, value: 18, "aria-label": "words of the sentence", oninput: () => this.ofLength() });
      this.length = element("output");
      this.again = element("button", { type: "button", onclick: () => this.play() }, "read it again");
      this.heads = element("div", { class: "live-shares live-words-above", lang: "fr" });
      this.truth = element("p", { class: "live-truth" });
      this.plot = element("div", { class: "live-plot" });
      place.replaceChildren(
        element("div", { class: "live-sheet" }, this.heads, ...this.lanes.map((lane) => lane.place)), this.truth, this.status,
        element("div", { class: "live-row" }, element("label", {}, "length ", this.slider), this.length, this.again),
        this.field, this.notes, this.plot);
      if (!this.restore()) this.run();
    }

    given() { return {}; }
    take() {}

    ofLength() {
      const count = Number(this.slider.value), same = this.corpus.sentences.filter((each) => each.source.split(" ").length === count);
      if (same.length) super.other(same);
    }

    /* All models read and write at once; the clock only shows it. */
    run() {
      clearTimeout(this.going);
      const tokens = [...this.read(), live.END];
      Object.assign(this, { tick: Infinity, picked: null });
      this.lanes.forEach((lane, at) => {
        const network = this.networks[at];
        lane.steps = network ? network.translate(tokens) : [];
        lane.states = network && at === 0 ? network.read(tokens, {}).states : null;
        lane.words = lane.steps.map((step) => this.corpus.target[step.token]).filter((word) => word !== "</s>");
        lane.right = live.rightPlaces(lane.words, this.known ? this.known.target.split(" ") : lane.words);
        this.put(lane, network);
      });
      this.slider.value = this.words.length;
      this.length.textContent = `${this.words.length} words`;
      this.heads.replaceChildren(...[...this.seen, "</s>"].map((word) => element("span", {}, live.cut(word))));
      this.heads.style.setProperty("--columns", this.words.length + 1);
      this.truth.replaceChildren(...(this.known ? ["True translation: ", element("span", { lang: "en" }, this.known.target)] : ["Your own sentence has no true translation here, so nothing is marked.", this.unknown.length ? ` No model knows ${this.unknown.map(live.cut).join(", ")}.` : ""]));
      this.draw();
      this.curve();
      this.keep();
    }

    /* All words are there from the first tick on, so that nothing moves while they appear. */
    put({ words, right, said, score, still }, network) {
      if (!network) { // until it comes, its lane is as it was drawn
        said.place.replaceChildren(...(this.words.join(" ") === this.place.dataset.sentence ? still : []));
        score.textContent = "is on its way …";
        return;
      }
      const truth = this.known?.target.split(" ") ?? [], tooMany = this.known && words.length > truth.length ? `, ${words.length - truth.length} too many` : "";
      said.put(words, "en", (button, at) => {
        const isWrong = this.known && !right.has(at);
        button.classList.toggle("live-wrong", Boolean(isWrong));
        if (isWrong) button.setAttribute("aria-label", `${words[at]}, not in the true translation, or not here`);
      });
      score.textContent = this.known ? `${right.size} of ${truth.length} words right${tooMany}` : "";
    }

    /* Another model has come: it joins in at the tick that the others have reached. */
    arrive() {
      const { tick } = this;
      super.arrive();
      if (tick < Infinity) this.go(tick);
    }

    play() {
      this.picked = null;
      this.go(matchMedia("(prefers-reduced-motion: reduce)").matches ? Infinity : 1);
    }

    /* Up to the last French word it is read, and soon; then a word is written at each tick. */
    go(tick) {
      clearTimeout(this.going);
      const isDone = tick >= this.words.length + Math.max(...this.lanes.map((lane) => lane.words.length));
      this.tick = isDone ? Infinity : tick;
      this.draw();
      if (!isDone) this.going = setTimeout(() => this.go(tick + 1), tick < this.words.length ? READ : TICK);
    }

    pick(lane, at) {
      clearTimeout(this.going);
      Object.assign(this, { tick: Infinity, picked: { lane, at } });
      this.draw();
    }

    draw() {
      const { tick, picked } = this, read = Math.min(tick, this.words.length), written = tick - this.words.length;
      this.lanes.forEach((lane, place) => {
        const at = picked ? (picked.lane === place ? picked.at : -1) : Math.min(written, lane.words.length) - 1;
        [...lane.said.place.children].forEach((button, word) => {
          button.classList.toggle("live-unwritten", word >= written);
          button.setAttribute("aria-pressed", word === at && tick !== Infinity || (picked?.lane === place && word === picked.at));
        });
        lane.score.hidden = tick !== Infinity;
        lane.strip.replaceChildren(...(lane.states ? [this.squares(lane, read)] : this.cells(lane, at)));
        lane.strip.style.setProperty("--columns", this.words.length + 1);
      });
      const links = this.sources();
      [...this.heads.children].forEach((word, place) => {
        word.classList.toggle("live-unread", tick !== Infinity && place > read);
        word.classList.toggle("live-linked", links.includes(place));
      });
      this.tell(links);
    }

    /* The weights of one written word on the French ones: the mean of the heads. */
    cells({ steps }, at) {
      const heads = steps[at]?.weights ?? [];
      return [...this.words, "</s>"].map((_, place) => {
        const weight = heads.reduce((sum, row) => sum + row[place], 0) / (heads.length || 1);
        return element("i", { style: `--w: ${weight.toFixed(2)}` });
      });
    }

    /* The one vector after so many words: →h has read from the left, ←h from the right. Squares of one shade are one path. */
    squares({ states }, read) {
      if (!states.length) return element("i");
      const n = states[0].length / 2, first = states[Math.max(0, Math.min(read, states.length) - 1)], second = states[Math.max(0, states.length - Math.max(1, read))];
      const c = [...first.slice(0, n), ...second.slice(n)], svg = element("svg", { class: "live-vector", viewBox: `0 0 ${COLS} ${c.length / COLS}`, preserveAspectRatio: "none" });
      const paths = new Map();
      c.forEach((number, i) => {
        const key = `${number < 0 ? "below" : "above"} ${Math.min(SHADES, Math.ceil(SHADES * Math.abs(number)))}`;
        paths.set(key, `${paths.get(key) ?? ""}M${i % COLS} ${Math.floor(i / COLS)}h.85v.85h-.85z`);
      });
      for (const [key, d] of paths) svg.append(element("path", { d, class: `live-${key.split(" ")[0]}`, "fill-opacity": Number(key.split(" ")[1]) / SHADES }));
      return svg;
    }

    /* The places of the French words that the true word at the picked place is linked with. */
    sources() {
      if (!this.picked || !this.known) return [];
      const { right, words } = this.lanes[this.picked.lane], truth = this.known.target.split(" "), { at } = this.picked;
      const before = [...right].filter((place) => place < at).length, to = right.has(at) ? this.same(words, truth, at) : Math.min(before, truth.length - 1);
      return this.known.links.filter(([, english]) => english === to).map(([french]) => french);
    }

    /* The place in the true translation of a word that is right. */
    same(words, truth, at) {
      const places = [...live.rightPlaces(truth, words)].sort((a, b) => a - b), own = [...this.lanes[this.picked.lane].right].sort((a, b) => a - b);
      return places[own.indexOf(at)];
    }

    tell(links) {
      const { picked } = this;
      if (!picked) { this.status.textContent = this.tick === Infinity ? "Press a word: the strip above it shows the weights when it was written." : ""; return; }
      const { title, words, right } = this.lanes[picked.lane], from = links.map((place) => this.words[place]).filter(Boolean).join(" ");
      const where = from ? ` ${right.has(picked.at) ? "It comes from" : "The word that belongs here comes from"} ${from}.` : "";
      this.status.textContent = `${title}, “${words[picked.at]}”: ${!this.known ? "no true translation is known." : right.has(picked.at) ? "right." : "wrong."}${where}`;
    }

    /* BLEU of all test sentences by length, a line a model, thin ones for its seeds; this sentence's length as a line. */
    curve() {
      const { width, height, left, right, top, bottom } = PLOT, { ends, lines } = this.curves;
      const middles = ends.map(([first, last]) => (first + last) / 2), most = ends.at(-1)[1], count = this.words.length;
      const x = (words) => left + ((right - left) * Math.min(words, most)) / most, y = (bleu) => bottom - ((bottom - top) * bleu) / 100;
      const svg = element("svg", { role: "img", viewBox: `0 0 ${width} ${height}`, "aria-label": `BLEU by length. ${lines.map((line, i) => `${this.titles[i]}: ${line.mean.map((bleu) => bleu.toFixed(0)).join(", ")}`).join("; ")}.` });
      const text = (words, at, above, attributes = {}) => svg.append(element("text", { x: at, y: above, ...attributes }, words));
      for (const bleu of [0, 50, 100]) {
        svg.append(element("path", { d: `M${left} ${y(bleu)}H${right}`, class: "live-rule" }));
        text(String(bleu), left - 8, y(bleu) + 5, { "text-anchor": "end" });
      }
      for (const words of [10, 20, 30].filter((each) => each <= most)) text(String(words), x(words), bottom + 20, { "text-anchor": "middle" });
      text("BLEU, by words in the French sentence", (left + right) / 2, bottom + 38, { "text-anchor": "middle" });
      const ids = lines.map((_, i) => i).sort((a, b) => lines[b].mean.at(-1) - lines[a].mean.at(-1));
      let label = -Infinity;
      for (const i of ids) {
        const path = (values) => `M${values.map((bleu, at) => `${x(middles[at]).toFixed(1)} ${y(bleu).toFixed(1)}`).join("L")}`;
        for (const seed of lines[i].seeds) svg.append(element("path", { d: path(seed), class: "live-thin", style: `stroke: ${this.colours[i]}` }));
        svg.append(element("path", { d: path(lines[i].mean), class: "live-line", style: `stroke: ${this.colours[i]}` }));
        label = Math.max(label + 17, y(lines[i].mean.at(-1)) + 5);
        text(this.titles[i], x(middles.at(-1)) + 10, label, { style: `fill: ${this.colours[i]}` });
        const after = middles.findIndex((middle) => middle >= count), [a, b] = after < 0 ? [middles.length - 1, middles.length - 1] : [Math.max(0, after - 1), after];
        const share = a === b ? 0 : Math.max(0, Math.min(1, (count - middles[a]) / (middles[b] - middles[a]))), bleu = lines[i].mean[a] + share * (lines[i].mean[b] - lines[i].mean[a]);
        svg.append(element("circle", { cx: x(Math.max(middles[0], Math.min(count, middles.at(-1)))).toFixed(1), cy: y(bleu).toFixed(1), r: 5, style: `fill: ${this.colours[i]}` }));
      }
      if (count) svg.append(element("path", { d: `M${x(count).toFixed(1)} ${top}V${bottom}`, class: "live-here" }));
      this.plot.replaceChildren(svg);
    }
  };
})();
