/* A figure whose model runs in the page: it stands there as the build drew it, and its model is loaded when it comes into view. */
(function () {
  "use strict";
  const live = (globalThis.live = globalThis.live || {});
  const FOLDER = new URL("live/", document.currentScript.src), loading = {};
  const NEAR = "400px"; // of the window: from here on a figure is loaded
  const MIDDLE = "-25% 0px"; // where a figure, however high, begins to move by itself
  const EVENTS = ["click", "input", "change", "focusin"];
  live.data = {};
  live.received = (name, data) => (live.data[name] = data);

  /* A script element: a page on a disk may fetch nothing. Each file is loaded once. */
  const load = (name) => (loading[name] ??= new Promise((done, failed) => {
    const script = document.createElement("script");
    const fail = () => { delete loading[name]; script.remove(); failed(new Error(name)); };
    Object.assign(script, { src: new URL(`${name}.js`, FOLDER), onload: done, onerror: fail });
    document.head.append(script);
  }));

  /* The build drew with the same code that runs here: what was pressed then is now where it stood. */
  const pathOf = (place, node) => (node === place ? [] : [...pathOf(place, node.parentNode), [...node.parentNode.children].indexOf(node)]);
  const at = (place, path) => path?.reduce((node, child) => node?.children[child], place);

  function prepare(place) {
    const { corpus, models, kind } = place.dataset, about = place.querySelector(":scope > .live-about"), words = about.textContent;
    const shouldMove = !matchMedia("(prefers-reduced-motion: reduce)").matches;
    let begun = false, asked = null, figure = null;

    async function begin() {
      if (begun) return;
      begun = true;
      const names = ["engine", "figures", corpus, ...models.split(" ")];
      try {
        for (const [count, name] of names.entries()) {
          about.textContent = `Loading the model, part ${count + 1} of ${names.length} …`;
          await load(name);
          if (models.split(" ").includes(name)) start();
        }
        about.textContent = words;
        place.classList.add("live-runs");
      } catch (error) {
        begun = false;
        about.textContent = `The model could not be loaded: ${error.message}.js is missing in the book's folder _static/live. The picture stays as it was drawn; press it to try again.`;
      }
    }

    /* With its first model a figure begins; those that show several get the others as they come. */
    function start() {
      if (figure) return figure.arrive();
      if (!live[kind].isGradual && models.split(" ").some((name) => !live.data[name])) return;
      const focus = place.contains(document.activeElement) ? pathOf(place, document.activeElement) : null, from = document.activeElement?.selectionStart;
      const typed = place.querySelector("textarea")?.value;
      EVENTS.forEach((type) => place.removeEventListener(type, ask, true));
      figure = new live[kind](place);
      place.append(about);
      const again = at(place, focus);
      again?.focus({ preventScroll: true });
      if (figure.input && typed !== undefined && typed !== figure.input.value && !figure.isSent) { figure.use(typed); again?.setSelectionRange?.(from, from); }
      if (asked) replay(at(place, asked.path), asked);
      if (figure.play && shouldMove) seen(place, () => figure.play(), { rootMargin: MIDDLE });
    }

    function replay(target, { type, value }) {
      if (type === "click") target?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
      else if (target && target.value !== value) { target.value = value; target.dispatchEvent(new Event(type, { bubbles: true })); }
    }

    const ask = ({ type, target, isTrusted }) => {
      if (isTrusted && type !== "focusin" && target.tagName !== "TEXTAREA") asked = { type, path: pathOf(place, target), value: target.value };
      begin();
    };
    EVENTS.forEach((type) => place.addEventListener(type, ask, true));
    const follow = () => {
      if (new URLSearchParams(location.hash.slice(1)).get("live") !== kind || begun) return;
      begin();
      place.scrollIntoView({ block: "start" });
    };
    addEventListener("hashchange", follow);
    follow();
    if (!navigator.connection?.saveData) seen(place, begin, { rootMargin: NEAR });
  }

  /* Once, when a place comes into view. */
  function seen(place, then, options) {
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      then();
    }, options);
    observer.observe(place);
  }

  /* Beside the theme's link to the text, one to the first model: the side bar stands before both. */
  function skip() {
    const theirs = document.querySelector(".skip-link"), first = document.querySelector(".live[id]");
    if (!theirs || !first) return;
    const ours = theirs.cloneNode(), link = document.createElement("a");
    ours.removeAttribute("id");
    link.textContent = "Skip to the model that runs in this page";
    link.href = `#${first.id}`;
    ours.append(link);
    theirs.after(ours);
  }

  document.addEventListener("DOMContentLoaded", () => { document.querySelectorAll(".live").forEach(prepare); skip(); });
})();
