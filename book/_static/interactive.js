// Figures that can be moved, of what a page has worked out by hand. Without scripts the page's own tables are all.
// `element`, `drawn`, `labelled`, `menu` and `shown` serve the other files of figures as well.
// <div class="weigh" data-scores="1 2" data-values="1,0 0,1"></div>: scores, mask and temperature → weights, context.
// <div class="weigh window" data-scores="0 2" data-p="1" data-d="2"></div>: position and half-width → weights.
const shown = (number) => number.toFixed(3).replace(/^(-?)0\./, "$1.").replace("-.000", ".000").replace("-", "−")
const listed = (numbers) => `(${numbers.map(shown).join(", ")})`

// softmax(scores / temperature) over the positions that are kept; all weights are 0 where none is.
const weigh = (scores, kept, temperature = 1) => {
  const largest = Math.max(...scores.filter((_, j) => kept[j]))
  const powers = scores.map((score, j) => (kept[j] ? Math.exp((score - largest) / temperature) : 0))
  const sum = powers.reduce((a, b) => a + b, 0)
  return powers.map((power) => (sum ? power / sum : 0))
}

// Luong et al. (2015), equation 10: softmax within [p - D, p + D], times a bell with σ = D / 2.
const inWindow = (scores, p, D) => scores.map((_, s) => Math.abs(s - p) <= D)
const weighWindow = (scores, p, D) =>
  weigh(scores, inWindow(scores, p, D)).map((weight, s) => weight * Math.exp((-2 * (s - p) ** 2) / D ** 2))

const element = (parent, name, attributes = {}, text = "") => {
  const made = parent.appendChild(document.createElement(name))
  Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value))
  made.textContent = text
  return made
}

const drawn = (parent, name, attributes, text = "") => {
  const made = parent.appendChild(document.createElementNS("http://www.w3.org/2000/svg", name))
  Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value))
  made.textContent = text
  return made
}

// A slider with its number beside it; `set` moves it, `value` reads it.
const slider = (parent, label, [min, max, step], write = shown) => {
  const range = element(parent, "input", { type: "range", "aria-label": label, min, max, step })
  const number = element(parent, "span", { class: "number" })
  const draw = () => {
    number.textContent = write(Number(range.value))
    range.setAttribute("aria-valuetext", number.textContent)
  }
  return { value: () => Number(range.value), draw, set: (value) => { range.value = value } }
}

const labelled = (place, text, name, limits, write) => {
  const line = element(place, "p", { class: "slider" }, text)
  return slider(line, name, limits, write)
}

const menu = (place, label, names) => {
  const select = element(element(place, "label", {}, `${label}: `), "select")
  names.forEach((name, i) => element(select, "option", { value: i }, name))
  select.parentElement.hidden = names.length < 2
  return { select, value: () => Number(select.value) }
}

// A table with a row for each position; `fill` adds the cells before the weight. Returns what draws the weights.
const table = (place, caption, titles, count, fill) => {
  const made = element(place, "table", { class: "weigh" })
  element(made, "caption", {}, caption)
  const head = element(element(made, "thead"), "tr")
  const every = ["position", ...titles, "weight"]
  every.forEach((title) => element(head, "th", { scope: "col" }, title))
  const body = element(made, "tbody")
  const bars = Array.from({ length: count }, (_, j) => {
    const row = element(body, "tr")
    element(row, "th", { scope: "row" }, `${j + (place.dataset.first ? Number(place.dataset.first) : 0)}`)
    fill(row, j)
    const cell = element(row, "td", { class: "bar" })
    return [element(cell, "span", { class: "fill" }), element(cell, "span", { class: "number" })]
  })
  return (weights) => bars.forEach(([fill, number], j) => {
    fill.style.width = `${60 * weights[j]}%`
    number.textContent = shown(weights[j])
  })
}

const finish = (place, reset, draw) => {
  const again = element(place, "button", { type: "button" }, "back to the example")
  const restart = () => { reset(); draw() }
  place.addEventListener("input", draw)
  again.addEventListener("click", restart)
  restart()
}

const buildWeights = (place) => {
  const start = place.dataset.scores.split(" ").map(Number)
  const values = place.dataset.values.split(" ").map((vector) => vector.split(",").map(Number))
  const scores = [], boxes = []
  const caption = "Move a score, or leave a position out, and see where the weight goes."
  const drawWeights = table(place, caption, ["score", "mask"], start.length, (row, j) => {
    scores.push(slider(element(row, "td"), `score of position ${j + 1}`, [-4, 4, 0.001]))
    const attributes = { type: "checkbox", "aria-label": `position ${j + 1} is in the mask` }
    boxes.push(element(element(row, "td"), "input", attributes))
  })
  const one = (number) => number.toFixed(1)
  const temperature = labelled(place, "temperature, by which the scores are divided: ", "temperature", [0.1, 4, 0.1], one)
  const result = element(place, "p", { role: "status" })
  const draw = () => {
    const kept = boxes.map((box) => box.checked)
    const weights = weigh(scores.map((score) => score.value()), kept, temperature.value())
    const context = values[0].map((_, d) => weights.reduce((sum, weight, j) => sum + weight * values[j][d], 0))
    drawWeights(weights)
    scores.forEach((score) => score.draw())
    temperature.draw()
    result.textContent = kept.some(Boolean)
      ? `weights ${listed(weights)}, context ${listed(context)}`
      : "No position is left: all weights are 0, and so is the context."
  }
  finish(place, () => {
    scores.forEach((score, j) => score.set(start[j]))
    boxes.forEach((box) => { box.checked = true })
    temperature.set(1)
  }, draw)
}

const buildWindow = (place) => {
  const scores = place.dataset.scores.split(" ").map(Number)
  const inside = []
  const caption = "Move the window, and see the weights jump where a word enters or leaves."
  const drawWeights = table(place, caption, ["score", "inside"], scores.length, (row, s) => {
    element(row, "td", {}, `${scores[s]}`)
    inside.push(element(row, "td"))
  })
  const last = scores.length - 1
  const p = labelled(place, "middle of the window: p = ", "p, the middle of the window", [0, last, 0.05], (x) => x.toFixed(2))
  const D = labelled(place, "half its width: D = ", "D, half the width of the window", [1, last, 1], (x) => `${x}`)
  const result = element(place, "p", { role: "status" })
  const draw = () => {
    const weights = weighWindow(scores, p.value(), D.value())
    const kept = inWindow(scores, p.value(), D.value())
    drawWeights(weights)
    inside.forEach((cell, s) => { cell.textContent = kept[s] ? "yes" : "no" })
    p.draw()
    D.draw()
    const sum = shown(weights.reduce((a, b) => a + b, 0))
    result.textContent = `positions ${kept.indexOf(true)} to ${kept.lastIndexOf(true)}, weights ${listed(weights)}, sum ${sum}`
  }
  finish(place, () => { p.set(place.dataset.p); D.set(place.dataset.d) }, draw)
}

addEventListener("DOMContentLoaded", () => document.querySelectorAll("div.weigh").forEach((place) =>
  (place.classList.contains("window") ? buildWindow : buildWeights)(place)))
