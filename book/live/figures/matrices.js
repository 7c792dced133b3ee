/* Every matrix of self-attention for the reader's own words: all as coloured squares, and the chosen one with its numbers. */
(function () {
  "use strict";
  const live = (globalThis.live = globalThis.live || {}), { element } = live;
  const DARKEST = 36; // per cent: numbers are read on it in both themes
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
  const short = (x) => x.toFixed(2).replace(/^(-?)0\./, "$1.").replace("-.00", ".00").replace("-", "−");

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
      const style = getComputedStyle(this.place), [above, below] = ["--weights", "--state"].map((name) => style.getPropertyValue(name));
      this.choice.mark((button, at) => {
        const name = Object.keys(MATRICES)[at], rows = this.all[name], most = largest(rows), canvas = button.lastChild;
        button.setAttribute("aria-pressed", name === this.chosen);
        button.style.setProperty("--role", MATRICES[name][3] ? `var(--${MATRICES[name][3]})` : "currentColor");
        Object.assign(canvas, { width: rows[0].length, height: rows.length });
        const pen = canvas.getContext("2d");
        rows.forEach((numbers, i) => numbers.forEach((x, j) => {
          pen.globalAlpha = Math.abs(x) / most;
          pen.fillStyle = x < 0 ? below : above;
          pen.fillRect(j, i, 1, 1);
        }));
      });
      this.numbers();
    }

    numbers() {
      const rows = this.all[this.chosen], most = largest(rows), [title, formula, columns] = MATRICES[this.chosen];
      const heads = columns === "words" ? this.words : [...rows[0].keys()].map((feature) => feature + 1);
      const cell = (x) => `<td style="--shade: ${Math.round((DARKEST * Math.abs(x)) / most)}%"${x < 0 ? ' class="live-below"' : ""}>${short(x)}</td>`;
      const table = element("table", {}, element("caption", {}, `${title}: ${formula}. ${rows.length} words × ${heads.length} ${columns}`));
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
