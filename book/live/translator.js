/* The reader's own sentence through the Transformer: translation, arcs, heads on and off, the most probable next words. */
(function () {
  "use strict";
  const live = (globalThis.live = globalThis.live || {});
  const UNKNOWN = 3, END = 2, LINE = 25, WIDTH = 560, LEFT = 110, RIGHT = 450, TOP = 34, THICKEST = 9, LEAST = 0.05, MOST_WORDS = 30;

  /* Words as the corpus cuts them: lower case, an apostrophe ends a word, a comma is one. */
  live.wordsOf = (text) =>
    text.toLowerCase().replace(/[’ʼ‘]/g, "'").replace(/'/g, "' ").replace(/,/g, " , ").replace(/[.!?;:"«»]/g, " ")
      .split(/\s+/).filter(Boolean).slice(0, MOST_WORDS);

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

  live.near = (word, words) =>
    words.slice(4).map((other) => [distance(word, other), other]).sort((a, b) => a[0] - b[0]).slice(0, 3).map(([, other]) => other);

  function element(tag, attributes = {}, ...children) {
    const svg = ["svg", "path", "text", "title", "line"].includes(tag);
    const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
      else made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
  }

  live.Translator = class {
    constructor(place, model) {
      Object.assign(this, { place, model, network: new live.Transformer(model), off: new Set(), chosen: 0, gold: false });
      this.colours = JSON.parse(place.dataset.colours);
      this.number = new Map(model.source.map((word, number) => [word, number]));
      this.input = element("input", { type: "text", lang: "fr", id: "live-sentence", spellcheck: "false", autocomplete: "off", oninput: () => this.run() });
      this.notes = element("p", { class: "live-notes" });
      this.output = element("p", { class: "live-output", lang: "en", role: "status" });
      this.next = element("div", { class: "live-next" });
      this.drawing = element("div", { class: "live-arcs" });
      const heads = this.colours.map((colour, head) => {
        const box = element("input", { type: "checkbox", onchange: () => this.toggle(head) });
        box.checked = true;
        return element("label", { style: `--head: ${colour}` }, box, ` head ${head + 1}`);
      });
      this.boxes = heads.map((label) => label.querySelector("input"));
      const goldBox = element("input", { type: "checkbox", onchange: (event) => { this.gold = event.target.checked; this.draw(); } });
      this.goldLabel = element("label", { class: "live-gold" }, goldBox, " true links");
      place.replaceChildren(
        element("label", { for: "live-sentence", class: "live-label" }, "A French sentence, in words of the book's small grammar"),
        element("div", { class: "live-row" }, this.input, element("button", { type: "button", onclick: () => this.another() }, "another sentence")),
        this.notes, this.output,
        element("div", { class: "live-row live-heads" }, "Cross-attention, last layer:", ...heads, this.goldLabel),
        this.drawing, this.next,
        element("p", { class: "live-question" }, "Guess first: which output words change when one head is muted? Then take its tick away."),
      );
      this.restore();
    }

    /* The address of a state: #live=SENTENCE&off=2,3 */
    restore() {
      const state = new URLSearchParams(location.hash.slice(1));
      for (const head of (state.get("off") || "").split(",").filter(Boolean)) this.off.add(Number(head) - 1);
      this.boxes.forEach((box, head) => (box.checked = !this.off.has(head)));
      this.input.value = state.get("live") || this.place.dataset.sentence;
      this.run();
    }

    keep() {
      const off = [...this.off].map((head) => head + 1).sort().join(",");
      const state = new URLSearchParams({ live: this.input.value, ...(off && { off }) });
      history.replaceState(null, "", `#${state}`);
    }

    another() {
      const others = this.model.sentences.filter((each) => each.source !== this.input.value);
      this.input.value = others[Math.floor(Math.random() * others.length)].source;
      this.run();
      this.keep();
    }

    toggle(head) {
      if (!this.off.delete(head)) this.off.add(head);
      this.run();
      this.keep();
    }

    run() {
      this.words = live.wordsOf(this.input.value);
      const unknown = [...new Set(this.words.filter((word) => !this.number.has(word)))];
      this.notes.replaceChildren(...unknown.flatMap((word) => this.note(word)));
      const tokens = [...this.words.map((word) => this.number.get(word) ?? UNKNOWN), END];
      const last = this.network.layers - 1;
      this.steps = this.words.length ? this.network.translate(tokens, (layer, head) => layer === last && this.off.has(head)) : [];
      this.said = this.steps.map((step) => this.model.target[step.token]);
      this.chosen = Math.min(this.chosen, Math.max(0, this.steps.length - 1));
      this.output.replaceChildren(...this.said.map((word, place) =>
        element("button", { type: "button", "aria-pressed": place === this.chosen, onclick: () => { this.chosen = place; this.show(); } }, word)));
      this.draw();
      this.probable();
      clearTimeout(this.later);
      this.later = setTimeout(() => this.keep(), 500);
    }

    /* A word that the model has never seen, and three that are like it. */
    note(word) {
      const use = (other) => () => { this.input.value = this.words.map((each) => (each === word ? other : each)).join(" "); this.run(); };
      const others = live.near(word, this.model.source).map((other) => element("button", { type: "button", lang: "fr", onclick: use(other) }, other));
      return [element("span", {}, `The model does not know “${word.slice(0, 30)}”. Near it: `, ...others), " "];
    }

    show() {
      [...this.output.children].forEach((button, place) => button.setAttribute("aria-pressed", place === this.chosen));
      this.draw();
      this.probable();
    }

    draw() {
      const source = [...this.words, "</s>"], known = this.model.sentences.find((each) => each.source === this.words.join(" "));
      const height = TOP + LINE * Math.max(source.length, this.said.length), y = (place) => TOP + LINE * place + LINE / 2;
      const svg = element("svg", { class: "cover", role: "img", viewBox: `0 0 ${WIDTH} ${height}`, "aria-label": this.reading(source) });
      const curve = (from, to, attributes) => {
        const middle = (LEFT + RIGHT) / 2;
        svg.append(element("path", { d: `M${LEFT + 6} ${y(from)}C${middle} ${y(from)} ${middle} ${y(to)} ${RIGHT - 6} ${y(to)}`, fill: "none", ...attributes }));
      };
      this.steps.forEach((step, place) => step.cross.at(-1).forEach((weights, head) => weights.forEach((weight, from) => {
        if (weight < LEAST || this.off.has(head)) return;
        const opacity = place === this.chosen ? 1 : 0.35;
        curve(from, place, { stroke: this.colours[head], "stroke-width": (THICKEST * weight).toFixed(2), "stroke-opacity": opacity });
      })));
      this.goldLabel.hidden = !known || known.target !== this.said.slice(0, -1).join(" ");
      if (this.gold && !this.goldLabel.hidden) known.links.forEach(([from, to]) => curve(from, to, { class: "live-link", "stroke-dasharray": "2 4" }));
      source.forEach((word, place) => svg.append(element("text", { x: LEFT, y: y(place) + 5, "text-anchor": "end", lang: "fr" }, word)));
      this.said.forEach((word, place) => svg.append(element("text", { x: RIGHT, y: y(place) + 5, class: place === this.chosen ? "live-chosen" : "" }, word)));
      this.drawing.replaceChildren(svg);
    }

    reading(source) {
      const most = this.steps.map((step, place) => {
        const mean = source.map((_, from) => step.cross.at(-1).reduce((sum, weights) => sum + weights[from], 0));
        return `${this.said[place]}: ${source[mean.indexOf(Math.max(...mean))]}`;
      });
      return `Arcs from each output word to the words that it attends to. Most weight, mean over the heads: ${most.join(", ")}.`;
    }

    /* The five most probable words where the chosen one stands. */
    probable() {
      if (!this.steps.length) return this.next.replaceChildren();
      const chances = live.softmax(this.steps[this.chosen].logits);
      const best = [...chances.keys()].sort((a, b) => chances[b] - chances[a]).slice(0, 5);
      const rows = best.map((token) => element("li", { style: `--share: ${(100 * chances[token]).toFixed(1)}%` },
        element("span", { lang: "en" }, this.model.target[token]), ` ${(100 * chances[token]).toFixed(1)} %`));
      this.next.replaceChildren(
        element("p", {}, "Instead of ", element("strong", { lang: "en" }, this.said[this.chosen]), " it might have been (choose another word above):"),
        element("ol", {}, ...rows));
    }
  };
})();
