/* Numbers that can be dragged: a vector as bars above and below a line, a score as a number, a weight as a bar. */
(function () {
  "use strict";
  const live = (globalThis.live = globalThis.live || {}), { element } = live;
  const WHOLE = 100, NEAR = 3; // pixels that a finger trembles
  const limited = (number, least, most) => Math.max(least, Math.min(most, number));

  /* A number with two digits: .93, −1.20 */
  live.short = (x, digits = 2) => x.toFixed(digits).replace(/^(-?)0\./, "$1.").replace(/^-(\.?0*)$/, "$1").replace("-", "−");

  /* Listeners of what is dragged: begin(event) says what is held, or nothing; move(held, x, y, event) follows by so many
     pixels; press(held, event) is without a move. If the page scrolls instead, all is put back as it was. */
  function dragged(hand, begin, move, press = () => {}) {
    let held = null, from = null, isMoved = false, before = null;
    return {
      onpointerdown: (event) => {
        held = event.button ? null : begin(event);
        if (!held) return;
        [from, isMoved, before] = [[event.clientX, event.clientY], false, hand.changes()];
        event.currentTarget.setPointerCapture(event.pointerId);
      },
      onpointermove: (event) => {
        if (!held) return;
        const x = event.clientX - from[0], y = event.clientY - from[1];
        isMoved ||= Math.max(Math.abs(x), Math.abs(y)) > NEAR;
        if (isMoved) { event.preventDefault(); move(held, x, y, event); }
      },
      onpointerup: (event) => { if (held && !isMoved) press(held, event); held = null; },
      onpointercancel: () => { if (held) hand.restore(before); held = null; },
    };
  }

  /* Numbers one below the other, one stop for Tab: Page Up and Page Down go to the next, or what `go` says. */
  live.Stack = class {
    constructor(label, handles) {
      this.handles = handles;
      handles.forEach((each, at) => each.place.style.setProperty("--row", at));
      this.place = element("div", { class: "live-stack", role: "group", "aria-label": label, onfocusin: (event) => this.rest(event.target) }, ...handles.map((each) => each.place));
      handles.forEach((each, at) => { each.go = (by) => this.handles[at + by]?.place.focus(); });
      this.rest(handles[0]?.place);
    }

    rest(place) {
      for (const each of this.handles) if (each.hand) each.place.setAttribute("tabindex", each.place === place ? 0 : -1);
    }
  };

  const isPlain = (event) => !event.ctrlKey && !event.altKey && !event.metaKey;

  /* What all handles have: a slider's name and value; `hand` has set(number, at), back(at), look(at), changes() and restore(changes). */
  class Handle {
    constructor(kind, hand, attributes, ...children) {
      this.hand = hand;
      this.go = () => {};
      const slider = hand ? { role: "slider", tabindex: 0, onkeydown: (event) => this.key(event), onfocus: () => this.look(), onblur: () => hand.look(null), onpointerenter: () => this.look(), onpointerleave: () => this.leave() } : {};
      this.place = element("div", { class: `live-${kind}`, ...slider, ...attributes }, ...children);
    }

    look() { this.hand.look(this.at ?? 0); }
    leave() { if (document.activeElement === this.place) this.look(); else this.hand.look(null); }

    say(label, value, text) {
      for (const [name, each] of Object.entries({ label, valuenow: value, valuetext: text })) this.place.setAttribute(`aria-${name}`, each);
    }

    key(event) {
      const act = isPlain(event) && this.keys()[event.key];
      if (!act) return;
      event.preventDefault();
      act();
      if (document.activeElement === this.place) this.look();
    }

    keys() {
      const back = () => this.hand.back(this.at ?? 0);
      return { PageUp: () => this.go(-1), PageDown: () => this.go(1), Delete: back, Backspace: back };
    }
  }

  /* A vector: a bar for each number, of a role; behind it a pale one of another vector, or of its own before it shrinks. */
  live.Strip = class extends Handle {
    constructor(role, size, hand = null) {
      const cells = Array.from({ length: size }, () => element("i"));
      const at = (event) => {
        const [left, right] = [cells[0].getBoundingClientRect().left, cells.at(-1).getBoundingClientRect().right];
        return limited(Math.floor((size * (event.clientX - left)) / (right - left)), 0, size - 1);
      };
      const begin = (event) => {
        const isFirst = event.pointerType === "touch" && document.activeElement !== this.place; // it may be the page that is scrolled
        this.choose(at(event));
        return isFirst ? null : { number: this.at, from: this.numbers[this.at], height: cells[0].getBoundingClientRect().height };
      };
      const move = (held, _, y) => this.set(held.from - (2 * this.scale * y) / held.height, held.number);
      const holds = hand ? dragged(hand, begin, move) : {};
      super(`strip live-${role}`, hand, hand ? { "aria-orientation": "vertical", ...holds } : { "aria-hidden": "true" }, ...cells);
      Object.assign(this, { cells, at: 0, drawn: [] });
      if (!hand) return;
      this.place.addEventListener("pointermove", (event) => { if (!event.buttons) hand.look(at(event)); });
    }

    choose(at) {
      this.at = limited(at, 0, this.cells.length - 1);
      this.mark();
      this.look();
    }

    mark() {
      this.cells.forEach((cell, at) => cell.classList.toggle("live-at", at === this.at));
      if (this.hand) this.say(this.label, this.numbers[this.at].toFixed(2), `number ${this.at + 1} of ${this.cells.length}: ${live.short(this.numbers[this.at])}`);
    }

    set(value, at = this.at) { this.hand.set(Math.round(WHOLE * limited(value, -this.scale, this.scale)), at); }

    /* Numbers, drawn up to a scale; `behind` has the pale ones, `part` is what is left of each when it has shrunk. */
    put(numbers, scale, { behind = null, part = 1, changed = null, label = "" } = {}) {
      Object.assign(this, { numbers, scale, label });
      const high = (number) => limited(number / scale, -1, 1).toFixed(3);
      this.place.style.setProperty("--part", part.toFixed(3));
      if (this.hand) for (const [name, end] of Object.entries({ min: -scale, max: scale })) this.place.setAttribute(`aria-value${name}`, end.toFixed(2));
      this.cells.forEach((cell, at) => {
        const style = `--x: ${high(numbers[at])}${behind ? `; --y: ${high(behind[at])}` : ""}`;
        if (this.drawn[at] !== style) cell.setAttribute("style", (this.drawn[at] = style));
        cell.classList.toggle("live-set", Boolean(changed?.has(at)));
      });
      this.mark();
    }

    keys() {
      const by = (step) => () => this.set(this.numbers[this.at] + step), to = (at) => () => this.choose(at), last = this.cells.length - 1;
      return { ...super.keys(), ArrowUp: by(0.1), ArrowDown: by(-0.1), ArrowLeft: to(this.at - 1), ArrowRight: to(this.at + 1), Home: to(0), End: to(last) };
    }
  };

  /* A score: a number that is drawn to the right or to the left. */
  live.Score = class extends Handle {
    constructor(hand) {
      const holds = dragged(hand, () => ({ from: this.value }), (held, x) => this.set(held.from + x / 20));
      super("score", hand, { "aria-valuemin": -live.Score.MOST, "aria-valuemax": live.Score.MOST, ...holds }, element("span"));
    }

    static MOST = 30;

    set(value) {
      const to = Math.round(WHOLE * limited(value, -live.Score.MOST, live.Score.MOST));
      if (to !== Math.round(WHOLE * this.value)) this.hand.set(to);
    }

    put(value, isChanged, label) {
      this.value = value;
      this.place.firstChild.textContent = live.short(value);
      this.place.classList.toggle("live-set", isChanged);
      this.say(label, value.toFixed(2), live.short(value));
    }

    keys() {
      const by = (step) => () => this.set(this.value + step);
      return { ...super.keys(), ArrowRight: by(0.1), ArrowLeft: by(-0.1), ArrowUp: () => this.go(-1), ArrowDown: () => this.go(1) };
    }
  };

  /* A weight, in whole hundredths: a bar whose end is drawn. */
  live.Share = class extends Handle {
    constructor(hand) {
      const track = element("i"), to = (event) => {
        const { left, width } = track.getBoundingClientRect();
        return (WHOLE * (event.clientX - left)) / width;
      };
      const set = (held, event) => this.set(to(event), held.row); // the others share the rest as they did when it was taken
      const holds = dragged(hand, () => ({ row: hand.row() }), (held, _x, _y, event) => set(held, event), set);
      super("share", hand, { "aria-valuemin": 0, "aria-valuemax": 1, ...holds }, track, element("span"));
    }

    set(share, row = this.hand.row()) { this.hand.set(limited(Math.round(share), 0, WHOLE), row); }

    put(share, isChanged, label, text = live.short(share)) {
      this.share = share;
      this.place.style.setProperty("--share", `${(WHOLE * share).toFixed(1)}%`);
      this.place.lastChild.textContent = text;
      this.place.classList.toggle("live-set", isChanged);
      this.say(label, share.toFixed(2), text);
    }

    keys() {
      const by = (step) => () => this.set(WHOLE * this.share + step), to = (share) => () => this.set(share);
      return { ...super.keys(), ArrowRight: by(5), ArrowLeft: by(-5), ArrowUp: () => this.go(-1), ArrowDown: () => this.go(1), Home: to(0), End: to(WHOLE) };
    }
  };
})();
