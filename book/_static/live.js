/* A figure whose model runs in the page: its scripts are loaded when the reader asks for them, never before. */
(function () {
  "use strict";
  const live = (globalThis.live = globalThis.live || {});
  const FOLDER = new URL("live/", document.currentScript.src);

  function load(name) {
    return new Promise((done, failed) => {
      const script = document.createElement("script");
      Object.assign(script, { src: new URL(name, FOLDER), onload: done, onerror: () => failed(new Error(name)) });
      document.head.append(script);
    });
  }

  async function begin(place, button) {
    button.disabled = true;
    button.textContent = "loading the model …";
    try {
      let model;
      live.received = (received) => (model = received);
      for (const name of ["tensors.js", "transformer.js", "translator.js", "transformer-model.js"]) await load(name);
      new live.Translator(place, model);
      place.querySelector("input").focus();
    } catch (error) {
      button.textContent = `The model could not be loaded (${error.message}).`;
    }
  }

  document.addEventListener("DOMContentLoaded", () => {
    for (const place of document.querySelectorAll(".live")) {
      const button = document.createElement("button");
      Object.assign(button, { type: "button", className: "live-begin", textContent: `Translate a sentence of your own (loads ${place.dataset.size})` });
      button.addEventListener("click", () => begin(place, button));
      place.prepend(button);
      if (location.hash.startsWith("#live=")) begin(place, button);
    }
  });
})();
