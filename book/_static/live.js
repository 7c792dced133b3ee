/* A figure whose model runs in the page: a field to type in stands there at once, the model is loaded when it is used. */
(function () {
  "use strict";
  const live = (globalThis.live = globalThis.live || {});
  const FOLDER = new URL("live/", document.currentScript.src), loading = {};
  const LABELS = {
    phrasebook: "A French sentence, in words of the book's small grammar",
    roles: "A French sentence in which somebody does something to somebody, in words of the book's small grammar",
    two_facts: "A French sentence with two facts, in words of the book's small grammar",
    relations: "An English sentence with two marked persons, in words of the book's small grammar",
    grammar: "The beginning of an English sentence, in words of the book's small grammar",
    reviews: "A short review of a film, in words of the book's small grammar",
  };
  const MOST = 1000; // letters of the field, thirty long words
  live.french = new Set(["phrasebook", "roles", "two_facts"]); // corpora
  live.data = {};
  live.received = (name, data) => (live.data[name] = data);

  /* A script element: a page on a disk may fetch nothing. Each file is loaded once. */
  const load = (name) => (loading[name] ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    const fail = () => { delete loading[name]; failed(new Error(`${name} is not there`)); };
    Object.assign(script, { src: new URL(name, FOLDER), onload: done, onerror: fail });
    document.head.append(script);
  }));

  function made(tag, text, attributes) {
    const element = document.createElement(tag);
    element.textContent = text;
    Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
    return element;
  }

  /* The bar that was pressed before its model was there, and how high: it is set so as soon as it can be. */
  const barOf = ({ target, clientY }) => {
    const bar = target.closest(".live-weight"), track = bar?.querySelector("i").getBoundingClientRect();
    return bar && { place: [...bar.parentNode.children].indexOf(bar), share: (track.bottom - clientY) / track.height };
  };

  function prepare(place, number) {
    const { corpus, models, size, kind, sentence } = place.dataset, id = `live-text-${number}`;
    const isGame = kind === "game"; // it has no field, and begins when it is pressed
    const label = made("label", LABELS[corpus], { for: id }), play = made("button", "Play", { id, type: "button", class: "live-play" });
    const input = made("input", "", isGame ? { type: "hidden" } : { id, type: "text", maxlength: MOST, lang: live.french.has(corpus) ? "fr" : "en", spellcheck: "false", autocomplete: "off", autocapitalize: "off" });
    const another = made("button", `another ${kind === "writer" ? "beginning" : "sentence"}`, { type: "button" });
    const row = made("div", "", { class: "live-row" }), field = made("div", "", { class: "live-field" });
    const picture = place.querySelector("svg.cover");
    const note = made("p", `A trained model runs in this page. It is loaded (${size}) when you ${isGame ? "press Play or a bar" : `type${picture ? ", press an English word of the picture" : ""} or take another sentence`}.`, { class: "live-load", role: "status" });
    input.value = sentence;
    row.append(input, isGame ? play : another);
    field.append(...(isGame ? [row, note] : [label, row, note]));
    if (isGame) place.append(field); else place.prepend(field);
    let begun = null;

    async function begin(pressed, bar) {
      note.textContent = `Loading ${size} …`;
      try {
        for (const name of ["engine", "figures", corpus, ...models.split(" ")]) await load(`${name}.js`);
        const isTyping = document.activeElement === input, at = input.selectionStart;
        note.textContent = `It runs in this page: ${size}, nothing that you type is sent anywhere.`;
        note.removeAttribute("role"); // from here on the figure itself says what happens
        const from = picture?.getBoundingClientRect().top;
        const figure = new live[kind](place, { field, input, another, play });
        if (isTyping) { input.focus(); input.setSelectionRange(at, at); }
        place.append(note); // the answer comes first
        if (isGame) { if (bar) figure.press(bar); else if (pressed) figure.focus(); }
        else if (pressed === another) { figure.other(); another.focus(); }
        else if (pressed) {
          figure.press?.([...picture.querySelectorAll("text:not(.head)")].indexOf(pressed));
          scrollBy(0, place.querySelector(".live-arcs").getBoundingClientRect().top - from); // it stays where it was pressed
        }
      } catch (error) {
        begun = null;
        note.textContent = `The model could not be loaded (${error.message}). The book's own folder _static/live has it, once the book is built.`;
      }
    }
    const ask = (event) => { // slides press Play by themselves, and keep their keys
      begun ??= event?.type === "click" && (event.isTrusted || !isGame) ? begin(event.target, isGame && barOf(event)) : begin();
    };
    input.addEventListener("input", ask);
    input.addEventListener("focus", ask);
    another.addEventListener("click", ask);
    play.addEventListener("click", ask);
    if (isGame) place.querySelector(".live-weights").addEventListener("click", ask);
    picture?.addEventListener("click", ask);
    const follow = () => {
      if (new URLSearchParams(location.hash.slice(1)).get("live") !== kind || begun) return;
      ask();
      place.scrollIntoView({ block: "start" });
    };
    addEventListener("hashchange", follow);
    follow();
  }

  /* Beside the theme's link to the text, one to the first model: the side bar stands before both. */
  function skip() {
    const theirs = document.querySelector(".skip-link"), field = document.querySelector(".live :is(input[type='text'], .live-play)");
    if (!theirs || !field) return;
    const ours = theirs.cloneNode();
    ours.removeAttribute("id");
    ours.append(made("a", "Skip to the model that runs in this page", { href: `#${field.id}` }));
    theirs.after(ours);
  }

  document.addEventListener("DOMContentLoaded", () => { document.querySelectorAll(".live").forEach(prepare); skip(); });
})();
