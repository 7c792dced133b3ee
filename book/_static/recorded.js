// Figures of what a page's model has recorded; book/stepwise.py writes the <div class="moved …" data-recording="JSON">.
// What the div holds before is for readers without scripts. `element`, `menu` and `shown` are those of interactive.js.
{ // a block, for all scripts of a page share one global scope
const MOST = 3 // how many of the largest weights the status line names

// The words that weights lie on, each with a bar and its number. Returns what puts words there, and what weighs them.
const weighedWords = (place, label) => {
  const list = element(place, "ul", { class: "words", "aria-label": label })
  let cells = []
  const put = (words, lang) => {
    list.replaceChildren()
    cells = words.map((word) => {
      const item = element(list, "li")
      element(item, "span", { class: "word", lang }, word)
      const bar = element(element(item, "span", { class: "track" }), "span", { class: "fill" })
      return { item, bar, number: element(item, "span", { class: "number" }) }
    })
  }
  const weigh = (weights) => cells.forEach(({ item, bar, number }, j) => {
    bar.style.width = `${100 * weights[j]}%`
    number.textContent = shown(weights[j])
    // The largest is told apart by its outline as well: a tint alone is not seen by everybody.
    item.classList.toggle("most", weights[j] === Math.max(...weights))
  })
  return { put, weigh }
}

const mostWeight = (words, weights) => weights
  .map((weight, j) => [weight, words[j]])
  .sort(([a], [b]) => b - a)
  .slice(0, MOST)
  .map(([weight, word]) => `${word} ${shown(weight)}`)
  .join(", ")

// Buttons first, back, forward, last. At an end they stay focusable: a disabled button would lose the keyboard's focus.
const stepper = (place, move) => {
  const line = element(place, "p", { class: "buttons" })
  const made = Object.keys(MOVES).map((name) => {
    const button = element(line, "button", { type: "button" }, name)
    button.addEventListener("click", () => move(name))
    return [name, button]
  })
  return (isFirst, isLast) => made.forEach(([name, button]) =>
    button.setAttribute("aria-disabled", ["first", "back"].includes(name) ? isFirst : isLast))
}
const MOVES = { first: () => 0, back: (t) => t - 1, forward: (t) => t + 1, last: () => Infinity }
const KEYS = { Home: "first", ArrowLeft: "back", ArrowRight: "forward", End: "last" }
const moved = (t, name, count) => Math.min(Math.max(MOVES[name](t), 0), count - 1)

// Arrow keys, Home and End, except in a menu, which needs them itself.
const onKeys = (place, move) => place.addEventListener("keydown", (event) => {
  if (!KEYS[event.key] || event.target.matches("select") || event.ctrlKey || event.altKey || event.metaKey) return
  event.preventDefault()
  move(KEYS[event.key])
})

const buildSteps = (place) => {
  const { sentences, languages: [from, to] } = JSON.parse(place.dataset.recording)
  place.replaceChildren()
  element(place, "p", { class: "hint" }, "Decode one word at a time, with the buttons or, from there, the arrow keys.")
  const menus = element(place, "p", { class: "menus" })
  const chosen = menu(menus, "sentence", sentences.map(({ source }) => source.slice(0, -1).join(" ")))
  const view = menu(menus, "weights", sentences[0].views.map(({ name }) => name))
  let t = 0
  const move = (name) => { t = moved(t, name, sentences[chosen.value()].output.length); draw() }
  const drawButtons = stepper(place, move)
  const source = weighedWords(place, "source words and their weights")
  const output = element(place, "p", { class: "output" }, "output: ")
  const before = element(output, "span", { lang: to })
  const next = element(output, "mark", { lang: to })
  const result = element(place, "p", { role: "status" })
  const draw = () => {
    const { source: words, output: put, views } = sentences[chosen.value()]
    const weights = views[view.value()].weights[t]
    source.weigh(weights)
    before.textContent = put.slice(0, t).map((word) => `${word} `).join("")
    next.textContent = put[t]
    drawButtons(t === 0, t === put.length - 1)
    result.textContent = `Step ${t + 1} of ${put.length}. Output so far: ${put.slice(0, t).join(" ") || "nothing"}. ` +
      `Next word: ${put[t]}. Most weight: ${mostWeight(words, weights)}.`
  }
  const start = () => { t = 0; source.put(sentences[chosen.value()].source, from); draw() }
  chosen.select.addEventListener("change", start)
  view.select.addEventListener("change", draw)
  onKeys(place, move)
  start()
}

// Words of which one is chosen: by pointing, clicking or touching; by arrow keys once one has the focus.
const choice = (place, label, choose) => {
  const group = element(place, "p", { class: "choice", role: "group", "aria-label": label })
  let buttons = [], chosen = 0
  const mark = (i) => {
    chosen = i
    buttons.forEach((button, j) => {
      button.setAttribute("aria-pressed", i === j)
      button.tabIndex = i === j ? 0 : -1 // one stop for Tab, the others by arrow keys
    })
  }
  const put = (words, lang) => {
    group.replaceChildren()
    buttons = words.map((word, i) => {
      const button = element(group, "button", { type: "button", lang }, word)
      ;["click", "mouseenter"].forEach((kind) => button.addEventListener(kind, () => { mark(i); choose() }))
      return button
    })
    mark(0)
  }
  onKeys(group, (name) => { mark(moved(chosen, name, buttons.length)); buttons[chosen].focus(); choose() })
  return { put, value: () => chosen }
}

const numbered = (count) => Array.from({ length: count }, (_, i) => `${i + 1}`)

const buildHeads = (place) => {
  const { uses } = JSON.parse(place.dataset.recording)
  place.replaceChildren()
  element(place, "p", { class: "hint" }, "Point at a word, or use Tab and then the arrow keys, to see what it attends to.")
  const menus = element(place, "p", { class: "menus" })
  const use = menu(menus, "attention", uses.map(({ name }) => name))
  const layer = menu(menus, "layer", numbered(uses[0].weights.length))
  const head = menu(menus, "head", numbered(uses[0].weights[0].length))
  const draw = () => {
    const { name, asks, queries, keys, weights } = uses[use.value()]
    const row = weights[layer.value()][head.value()][query.value()]
    answers.weigh(row)
    result.textContent = `${name}, layer ${layer.value() + 1}, head ${head.value() + 1}. ` +
      `Query: ${asks} ${queries[query.value()]}. Most weight: ${mostWeight(keys, row)}.`
  }
  const query = choice(place, "the word whose query attends", draw)
  const answers = weighedWords(place, "the words that it attends to, and their weights")
  const result = element(place, "p", { role: "status" })
  const start = () => {
    const { queries, keys, languages: [ofQueries, ofKeys] } = uses[use.value()]
    query.put(queries, ofQueries)
    answers.put(keys, ofKeys)
    draw()
  }
  use.select.addEventListener("change", start)
  ;[layer, head].forEach(({ select }) => select.addEventListener("change", draw))
  start()
}

const sumWhere = (weights, kept) => weights.reduce((sum, weight, j) => sum + (kept[j] ? weight : 0), 0)

const buildHops = (place) => {
  const { reviews } = JSON.parse(place.dataset.recording)
  place.replaceChildren()
  element(place, "p", { class: "hint" }, "Choose a review, a model and a hop. The words that decide are underlined.")
  const menus = element(place, "p", { class: "menus" })
  const review = menu(menus, "review", reviews.map(({ words }) => words.join(" ")))
  const model = menu(menus, "model", reviews[0].models.map(({ name }) => name))
  const hop = menu(menus, "hop", numbered(reviews[0].models[0].weights.length))
  const list = weighedWords(place, "the words of the review and their weights")
  const result = element(place, "p", { role: "status" })
  const draw = () => {
    const { words, decides, models } = reviews[review.value()]
    const { name, weights } = models[model.value()]
    const row = weights[hop.value()]
    list.weigh(row)
    const even = decides.filter(Boolean).length / words.length
    result.textContent = `Hop ${hop.value() + 1}, ${name}. Most weight: ${mostWeight(words, row)}. ` +
      `On the words that decide (${words.filter((_, j) => decides[j]).join(", ")}): ${shown(sumWhere(row, decides))}, ` +
      `where equal weights would have ${shown(even)}.`
  }
  const start = () => {
    const { words, decides } = reviews[review.value()]
    list.put(words, "en")
    place.querySelectorAll(".words .word").forEach((word, j) => word.classList.toggle("evident", decides[j]))
    draw()
  }
  review.select.addEventListener("change", start)
  ;[model, hop].forEach(({ select }) => select.addEventListener("change", draw))
  start()
}

addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll("div.moved.steps").forEach(buildSteps)
  document.querySelectorAll("div.moved.heads").forEach(buildHeads)
  document.querySelectorAll("div.moved.hops").forEach(buildHops)
})
}
