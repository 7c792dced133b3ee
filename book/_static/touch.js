// A drawing to touch: <div class="touch" data-states='{"ask", "states": [{"name", "says", "lang"}]}'>, with a place for the
// buttons and the drawing in it. States count from 1. Of a shape, data-at="2-5" names the states that show it, data-w is how
// wide its line is then, data-each=".78|.04" its text in each state, data-pick the state that pressing it chooses.
// Until a state is chosen, the drawing is as it is without scripts. `element` is that of interactive.js.
{ // a block, for all scripts of a page share one global scope
const KIND = "picture" // in the address: #live=picture&at=3
// *word* is in italics, h_1 a letter with an index.
const marked = (place, text) => {
  place.replaceChildren()
  text.split(/(\*[^*]+\*|[a-z]\u0303?_[0-9a-z]+(?:[−+]1)?)/).forEach((part, i) => {
    const [letter, index] = part.split("_")
    if (i % 2 === 0) place.append(part)
    else element(place, "em", {}, letter.replaceAll("*", "")).after(...(index ? [element(place, "sub", {}, index)] : []))
  })
}

const isShown = ({ dataset: { at } }, state) => {
  const [first, last = first] = at.split("-").map(Number)
  return first <= state && state <= last
}

// 0 is the drawing as it was.
const light = (svg, state) => {
  svg.classList.toggle("touched", state > 0)
  svg.querySelectorAll("[data-at]").forEach((shape) => {
    const isLit = state > 0 && isShown(shape, state)
    shape.classList.toggle("lit", isLit)
    shape.style.strokeWidth = isLit ? shape.dataset.w ?? "" : ""
  })
  svg.querySelectorAll("[data-pick]").forEach((shape) => shape.classList.toggle("chosen", Number(shape.dataset.pick) === state))
  svg.querySelectorAll("[data-each]").forEach((text) => {
    text.dataset.rest ??= text.textContent
    text.textContent = state ? text.dataset.each.split("|")[state - 1] : text.dataset.rest
  })
}

const keep = (state) => history.replaceState(null, "", state ? `#live=${KIND}&at=${state}` : location.pathname + location.search)
const sent = () => {
  const state = new URLSearchParams(location.hash.slice(1))
  return state.get("live") === KIND ? Number(state.get("at")) || 0 : 0
}

const build = (place) => {
  const { ask, states } = JSON.parse(place.dataset.states), svg = place.querySelector("svg"), chooser = place.querySelector(".chooser")
  let chosen = 0
  const buttons = element(chooser, "div", { class: "choices", role: "group", "aria-label": ask })
  const status = element(chooser, "p", { role: "status" })
  const show = (state) => {
    light(svg, state)
    marked(status, state ? states[state - 1].says : ask)
    if (!state) element(status, "span", { class: "by-keys" }, " (By keys: ← and →.)")
  }
  const choose = (state) => {
    chosen = state
    ;[...buttons.children].forEach((button, i) => {
      button.setAttribute("aria-pressed", i + 1 === state)
      button.tabIndex = i === Math.max(0, state - 1) ? 0 : -1
    })
    show(state)
  }
  const press = (state) => {
    choose(state === chosen ? 0 : state)
    keep(chosen)
    place.scrollIntoView({ block: "nearest" }) // on a phone the drawing may lie below the buttons and the screen's edge
  }
  // Where the name of every state stands in the drawing and can be pressed there, the buttons are for keys and fingers.
  const plain = (text) => text.replace(/[^\p{L}\p{N}]+/gu, "")
  const isNamed = ({ name }, i) => [...svg.querySelectorAll(`text[data-pick="${i + 1}"]`)]
    .some((text) => plain(name).startsWith(plain(text.textContent) || " "))
  buttons.classList.toggle("in-drawing", states.every(isNamed))
  states.forEach(({ name, lang }, i) => element(buttons, "button", { type: "button", ...(lang && { lang }) }, name)
    .addEventListener("click", () => press(i + 1)))
  buttons.addEventListener("keydown", (event) => {
    const at = [...buttons.children].indexOf(document.activeElement)
    const by = chosen ? 1 : 0 // the first arrow chooses the word that has the focus
    const to = { ArrowLeft: at - by, ArrowRight: at + by, Home: 0, End: states.length - 1 }[event.key]
    if (!states[to] || event.ctrlKey || event.altKey || event.metaKey) return
    event.preventDefault()
    buttons.children[to].focus()
    choose(to + 1)
    keep(chosen)
  })
  // The mouse shows what a press would choose; a finger only presses.
  const under = ({ target }) => Number(target.closest("[data-pick]")?.dataset.pick) || 0
  // Else the focus leaves the buttons, they go, and the drawing moves away before the click.
  svg.addEventListener("mousedown", (event) => { if (under(event)) event.preventDefault() })
  svg.addEventListener("pointerover", (event) => { if (event.pointerType === "mouse") show(under(event) || chosen) })
  svg.addEventListener("pointerleave", () => show(chosen))
  svg.addEventListener("click", (event) => {
    const state = under(event)
    if (!state) return
    press(state)
    buttons.children[state - 1].focus({ preventScroll: true, focusVisible: false }) // for the arrow keys
  })
  const follow = () => {
    if (!states[sent() - 1]) return
    choose(sent())
    place.scrollIntoView({ block: "center" })
  }
  choose(0)
  addEventListener("hashchange", follow)
  follow()
}

addEventListener("DOMContentLoaded", () => document.querySelectorAll("div.touch").forEach(build))
}
