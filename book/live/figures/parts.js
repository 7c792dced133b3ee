/* What all live figures are made of: elements, the words of a text, menus, a choice among words, bars, squares. */
(function () {
  "use strict";
  const live = (globalThis.live = globalThis.live || {});
  const MOST_LETTERS = 30, SVG = ["svg", "g", "path", "text", "rect", "line", "circle"];

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

  /* .07, −.50, 1.00, as the book writes numbers. */
  live.short = (number, digits = 2) => number.toFixed(digits).replace(/^(-?)0\./, "$1.").replace(/^-/, Number(number.toFixed(digits)) ? "−" : "");

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
})();
