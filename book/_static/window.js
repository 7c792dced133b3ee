// A window that slides over a text: <div class="moved window" data-w="4" data-s="1" data-l="2"><p lang="en">its words</p></div>.
// w: positions in the window, s: sinks, l: layers, at: the present word, from 1, or the last. It shows what that word reads in
// one layer, what reaches it through all, and how many keys are kept. `element` and `labelled` are those of interactive.js.
{ // a block, for all scripts of a page share one global scope
const KIND = "window" // in the address: #live=window&at=31&w=4&s=1&l=2
const LIMITS = { w: [1, 12, 1], s: [0, 4, 1], l: [1, 6, 1] }
const NAMES = { w: "window", s: "sinks", l: "layers" }
const MARKS = { // class of a word: what it says to who cannot see it
  read: "in the window", sink: "a sink", reach: "reached through more layers", out: "out of reach", later: "not read yet",
}

// The positions that position t, from 0, reads in one layer: the last w, its own included, and the first s.
const read = (t, { w, s }) => Array.from({ length: t + 1 }, (_, j) => j).filter((j) => j > t - w || j < s)

// The positions that reach t through l layers: each layer adds what those have read that it reads.
const reached = (t, given) => {
  let all = new Set([t])
  for (let layer = 0; layer < given.l; layer++) all = new Set([...all].flatMap((each) => read(each, given)))
  return [...all].sort((a, b) => a - b)
}

const mark = (j, t, { w }, direct, whole) => {
  if (j > t) return "later"
  if (direct.has(j)) return j > t - w ? "read" : "sink"
  return whole.has(j) ? "reach" : "out"
}

const many = (count, thing) => `${count} ${thing}${count === 1 ? "" : "s"}`

const inWords = (words, t, given) => {
  const direct = read(t, given), whole = reached(t, given), out = t + 1 - whole.length
  const left = out ? `; ${many(out, "word")} before it ${out === 1 ? "is" : "are"} out of reach` : ": the whole text so far"
  return `“${words[t]}” is word ${t + 1}. It reads ${many(direct.length, "word")} in one layer. ` +
    `Through ${many(given.l, "layer")} ${many(whole.length, "word")} can reach it${left}. ` +
    `Each layer keeps ${many(direct.length, "key")}, full attention ${t + 1}.`
}

const sent = () => new URLSearchParams(location.hash.slice(1))
const isWithin = (number, [low, high]) => Number.isInteger(number) && low <= number && number <= high

// Buttons in a row of which one is pressed; the keyboard enters it once, and goes on with ← and →.
const wordButtons = (place, words, lang, press) => {
  const row = element(place, "div", { class: "words", role: "group", "aria-label": "the present word", lang })
  const buttons = words.map((word, i) => {
    const button = element(row, "button", { type: "button" }, word)
    button.addEventListener("click", () => press(i))
    return button
  })
  row.addEventListener("keydown", (event) => {
    const at = buttons.indexOf(document.activeElement)
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: words.length - 1 }[event.key]
    if (!buttons[to] || event.ctrlKey || event.altKey || event.metaKey) return
    event.preventDefault()
    buttons[to].focus()
    press(to)
  })
  return buttons
}

const build = (place) => {
  const text = place.querySelector("p"), words = text.textContent.trim().split(/\s+/), last = words.length
  place.replaceChildren()
  element(place, "p", { class: "hint" }, "Press a word, then move the window: which words does it read, and which can reach it?")
  const given = { at: Number(place.dataset.at) || last }
  const buttons = wordButtons(place, words, text.lang || "en", (i) => { given.at = i + 1; draw(); keep() })
  const legend = element(place, "p", { class: "legend", "aria-hidden": "true" })
  Object.entries({ ...MARKS, reach: "through more layers" }).forEach(([kind, says]) => element(legend, "span", { class: kind }, says))
  const line = element(place, "div", { class: "sliders" })
  const sliders = Object.fromEntries(Object.entries(NAMES).map(([key, name]) =>
    [key, labelled(line, `${name}: `, name, LIMITS[key], (n) => `${n}`)]))
  const status = element(place, "p", { role: "status" })
  const draw = () => {
    Object.entries(sliders).forEach(([key, each]) => { given[key] = each.value(); each.draw() })
    const t = given.at - 1, direct = new Set(read(t, given)), whole = new Set(reached(t, given))
    buttons.forEach((button, j) => {
      const kind = mark(j, t, given, direct, whole)
      button.className = kind
      button.tabIndex = j === t ? 0 : -1
      button.setAttribute("aria-pressed", j === t)
      button.setAttribute("aria-label", `${words[j]}, ${MARKS[kind]}`)
    })
    status.textContent = inWords(words, t, given)
  }
  const keep = () => history.replaceState(null, "", `#live=${KIND}&${new URLSearchParams(given)}`)
  const put = (from) => {
    if (isWithin(Number(from("at")), [1, last])) given.at = Number(from("at"))
    Object.keys(sliders).forEach((key) => { if (isWithin(Number(from(key) ?? NaN), LIMITS[key])) sliders[key].set(from(key)) })
    draw()
  }
  const follow = () => {
    if (sent().get("live") !== KIND) return
    put((key) => sent().get(key))
    place.scrollIntoView({ block: "center" })
  }
  place.addEventListener("input", () => { draw(); keep() })
  addEventListener("hashchange", follow)
  put((key) => place.dataset[key])
  follow()
}

globalThis.windowed = { read, reached } // for tests
addEventListener("DOMContentLoaded", () => document.querySelectorAll("div.moved.window").forEach(build))
}
