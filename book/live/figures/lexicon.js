/* The words that a model knows: how a reader may have meant one, what is near it, and how it may go on. */
(function () {
  "use strict";
  const live = (globalThis.live = globalThis.live || {});
  const FIRST = 4, CHIPS = 6; // the tokens before are <pad>, <s>, </s>, <unk>
  /* A word without its accents, œ and æ in two letters. */
  const folded = (word) => word.normalize("NFD").replace(/\p{M}/gu, "").replace(/œ/g, "oe").replace(/æ/g, "ae");

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

  /* The three nearest of some words, of those in which at most a third of the letters differ. */
  live.near = function (word, words) {
    if (word.length > Math.max(...words.map((other) => other.length)) + 3) return []; // costs no search
    const far = (other) => (other.startsWith(word) ? 0 : distance(word, other));
    const near = words.map((other) => [far(other), other]).filter(([letters]) => letters <= Math.max(1, word.length / 3));
    return near.sort((a, b) => a[0] - b[0]).slice(0, 3).map(([, other]) => other);
  };

  live.Lexicon = class {
    constructor(source, isFrench, sentences) {
      const words = source.slice(FIRST);
      Object.assign(this, { words, count: words.length, sentences, number: new Map(source.map((word, number) => [word, number])), by: new Map() });
      for (const word of words) if (!this.by.has(folded(word))) this.by.set(folded(word), word);
    }

    /* Typed text never has the model's own tokens: </s> is a word that it does not know. */
    knows(word) { return this.number.get(word) >= FIRST; }

    /* soeur is sœur, entarte is entarté. */
    meant(word) { return this.knows(word) ? word : this.by.get(folded(word)) ?? word; }

    /* What has no letter has no near word. */
    near(word) { return /\p{Script=Latin}/u.test(word) ? live.near(folded(word), [...this.by.keys()]).map((each) => this.by.get(each)) : []; }

    beginning(part) {
      const from = [...this.by].filter(([each]) => each.startsWith(folded(part))).map(([, word]) => word).slice(0, CHIPS);
      return from.length ? from : this.near(part);
    }

    /* The commonest words of the page's sentences that are not there yet. */
    common(words) {
      if (!this.often) {
        const count = new Map();
        for (const word of this.sentences.flatMap((each) => each.split(" "))) if (this.knows(word) && /\p{L}{4}/u.test(word)) count.set(word, (count.get(word) ?? 0) + 1);
        this.often = [...count.keys()].sort((a, b) => count.get(b) - count.get(a));
      }
      return this.often.filter((word) => !words.includes(word)).slice(0, CHIPS);
    }
  };
})();
