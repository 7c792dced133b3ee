/* Every matrix of self-attention for the reader's own words: all as coloured squares, and the chosen one with its numbers. */
(function () {
  "use strict";
  const live = (globalThis.live = globalThis.live || {}), { element } = live;
  const SHADES = 6; // of a number's ground, by classes: a style for each of 1,400 cells would take as long as all the rest
  const MATRICES = { // name: [title, formula, what its columns are, role]
    X: ["X", "the words, each with its position", "features", ""],
    Q: ["Q", "X W_q", "features", "query"],
    K: ["K", "X W_k", "features", "key"],
    V: ["V", "X W_v", "features", "value"],
    scores: ["QKᵀ/√d", "each query with each key", "words", ""],
    weights: ["A", "softmax of each row", "words", "weights"],
    C: ["C", "A V, what each word gets", "features", "context"],
  };
  const largest = (rows) => Math.max(...rows.map((row) => row.reduce((most, x) => Math.max(most, Math.abs(x)), 0))) || 1;

  live.matrices = class {
    constructor(change) {
      this.chosen = "Q";
      const names = Object.keys(MATRICES), press = (at) => { this.chosen = names[at]; this.draw(); change(); };
      this.choice = new live.Choice("matrices", press);
      this.table = element("div", { class: "live-scroll", tabindex: 0, role: "region", "aria-label": "the numbers of the matrix" });
      this.place = element("details", { ontoggle: () => { this.draw(); change(); } },
        element("summary", {}, "Q, K and V of your words, as matrices"), this.choice.place, this.table);
      this.choice.put(names.map((name) => MATRICES[name][0]), "en", () => {});
      names.forEach((name, at) => this.choice.place.children[at].append(element("canvas", { "aria-hidden": "true" })));
    }

    get state() {
      return this.place.open ? this.chosen : "";
    }

    set state(name) {
      this.place.open = Object.hasOwn(MATRICES, name);
      if (this.place.open) this.chosen = name;
    }

    /* Words (n), and by name a list of n rows; `row` is the query that is looked at. */
    put(words, matrices, row) {
      Object.assign(this, { words, all: matrices, row });
      this.draw();
    }

    draw() {
      if (!this.place.open || !this.words?.length) return this.table.replaceChildren();
      if (this.drawn !== this.all) this.squares();
      this.drawn = this.all;
      this.choice.mark((button, at) => button.setAttribute("aria-pressed", Object.keys(MATRICES)[at] === this.chosen));
      this.numbers();
    }

    /* Each matrix as an image, a pixel a number. */
    squares() {
      const style = getComputedStyle(this.place), colours = ["--weights", "--state"].map((name) => style.getPropertyValue(name));
      Object.keys(MATRICES).forEach((name, at) => {
        const canvas = this.choice.place.children[at].lastChild;
        canvas.style.setProperty("--role", MATRICES[name][3] ? `var(--${MATRICES[name][3]})` : "currentColor");
        live.squares(canvas, this.all[name], colours);
      });
    }

    numbers() {
      const rows = this.all[this.chosen], most = largest(rows), [title, formula, columns] = MATRICES[this.chosen];
      const heads = columns === "words" ? this.words : [...rows[0].keys()].map((feature) => feature + 1);
      const cell = (x) => `<td class="${x < 0 ? "live-below " : ""}live-${Math.round((SHADES * Math.abs(x)) / most)}">${live.short(x)}</td>`;
      const table = element("table", {}, element("caption", {}, `${title}: ${formula}. ${rows.length} words × ${heads.length} ${columns}. ${live.signs}`));
      const head = table.createTHead().insertRow();
      head.append(element("td"), ...heads.map((name) => element("th", { scope: "col" }, String(name))));
      const body = table.createTBody();
      rows.forEach((numbers, i) => {
        const row = body.insertRow();
        row.innerHTML = Array.from(numbers, cell).join("");
        row.prepend(element("th", { scope: "row" }, this.words[i]));
        row.classList.toggle("live-asked", i === this.row);
      });
      this.table.replaceChildren(table);
    }
  };
})();
