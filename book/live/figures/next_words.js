/* The next word by a model of the grammar and by the grammar itself: how far apart they are, and as bars with a mark. */
(function () {
  "use strict";
  const live = (globalThis.live = globalThis.live || {}), { element } = live;
  const FULL = [0.1, 0.25, 0.5, 1]; // what a whole bar may be

  live.percent = (share) => `${(100 * share).toFixed(1)} %`;

  /* A bar's length, and where the mark of the grammar stands. */
  live.mark = function (place, share, floor) {
    for (const [name, length] of Object.entries({ share, floor })) place.style.setProperty(`--${name}`, `${(100 * length).toFixed(1)}%`);
  };

  /* chances (vocabulary), the grammar's probabilities by word -> the floor and the model's mean loss, in nats, and what the
     model gives to words that cannot stand here. */
  live.besides = function (chances, grammar, number) {
    const allowed = new Set([...grammar.keys()].map((word) => number.get(word)));
    const all = { least: 0, paid: 0, impossible: chances.reduce((sum, share, token) => sum + (allowed.has(token) ? 0 : share), 0) };
    grammar.forEach((p, word) => { all.least -= p * Math.log(p); all.paid -= p * Math.log(chances[number.get(word)]); });
    return all;
  };

  /* A list that stays in its order while the model is changed: the most probable words of the unchanged one, then those that
     are the most probable now of all others. */
  live.NextWords = class {
    constructor(stay, come) {
      Object.assign(this, { stay, come });
      this.rows = Array.from({ length: stay + come }, () => element("li", {}, element("span", { lang: "en" }), element("i"), element("span")));
      this.title = element("p");
      this.wrong = element("p", { class: "live-wrong" }, element("span", {}, "words that cannot stand here"), element("i"), element("span"));
      const legend = element("p", { class: "live-legend" }, element("i"), "model ", element("i"), "grammar");
      this.place = element("div", { class: "live-after" }, this.title, element("ol", {}, ...this.rows), this.wrong, legend);
    }

    put(words, rest, now, grammar, number) {
      const by = (chances) => (a, b) => chances[b] - chances[a], all = [...rest.keys()].sort(by(rest)), first = all.slice(0, this.stay);
      const shown = [...first, ...all.slice(this.stay).sort(by(now)).slice(0, this.come)];
      const floor = (token) => grammar.get(words[token]) ?? 0, largest = Math.max(...shown.map((token) => Math.max(rest[token], now[token], floor(token))));
      const full = FULL.find((each) => each >= largest) ?? 1;
      this.rows.forEach((row, at) => {
        const token = shown[at];
        row.children[0].textContent = words[token];
        this.bar(row, now[token], rest[token], floor(token), full);
        row.classList.toggle("live-out", grammar.size > 0 && floor(token) === 0);
      });
      const sides = [now, rest].map((chances) => live.besides(chances, grammar, number).impossible);
      this.bar(this.wrong, ...sides, 0, 1);
      this.wrong.hidden = !grammar.size;
    }

    bar(row, now, rest, floor, full) {
      const bar = row.children[1];
      live.mark(bar, now / full, floor / full);
      bar.style.setProperty("--rest", `${((100 * rest) / full).toFixed(1)}%`);
      row.children[2].replaceChildren(live.percent(now), element("span", { class: "live-hidden" }, ` by the model, ${live.percent(floor)} by the grammar`));
    }
  };
})();
