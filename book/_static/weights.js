// Scores, weights, context: sliders for what a page has worked out by hand. Without scripts the page's own table is all.
// <div class="weigh" data-scores="1 2" data-values="1,0 0,1"></div>: values are the vectors that are averaged.
const shown = (number) => number.toFixed(3).replace(/^(-?)0\./, "$1.")

// softmax(scores / temperature) over the positions that are kept; all weights are 0 where none is.
const weigh = (scores, kept, temperature) => {
  const largest = Math.max(...scores.filter((_, j) => kept[j]))
  const powers = scores.map((score, j) => (kept[j] ? Math.exp((score - largest) / temperature) : 0))
  const sum = powers.reduce((a, b) => a + b, 0)
  return powers.map((power) => (sum ? power / sum : 0))
}

const element = (parent, name, attributes = {}, text = "") => {
  const made = parent.appendChild(document.createElement(name))
  Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value))
  made.textContent = text
  return made
}

const slider = (parent, label, value, [min, max, step]) =>
  element(parent, "input", { type: "range", "aria-label": label, min, max, step, value })

const build = (place) => {
  const start = place.dataset.scores.split(" ").map(Number)
  const values = place.dataset.values.split(" ").map((vector) => vector.split(",").map(Number))
  const table = element(place, "table", { class: "weigh" })
  element(table, "caption", {}, "Move a score, or leave a position out, and see where the weight goes.")
  const head = element(element(table, "thead"), "tr")
  const titles = ["position", "score", "mask", "weight"]
  titles.forEach((title) => element(head, "th", { scope: "col" }, title))
  const body = element(table, "tbody")
  const rows = start.map((score, j) => {
    const row = element(body, "tr")
    element(row, "th", { scope: "row" }, `${j + 1}`)
    const cell = element(row, "td")
    const range = slider(cell, `score of position ${j + 1}`, score, [-4, 4, 0.001])
    const number = element(cell, "span", { class: "number" })
    const attributes = { type: "checkbox", checked: "", "aria-label": `position ${j + 1} is in the mask` }
    const box = element(element(row, "td"), "input", attributes)
    const bar = element(row, "td", { class: "bar" })
    return { range, number, box, bar: element(bar, "span", { class: "fill" }), weight: element(bar, "span", { class: "number" }) }
  })
  const foot = element(place, "p")
  const label = element(foot, "label", {}, "temperature: the scores are divided by ")
  const temperature = slider(label, "temperature", 1, [0.1, 4, 0.1])
  const degrees = element(label, "span", { class: "number" })
  const result = element(place, "p", { role: "status" })
  const again = element(place, "button", { type: "button" }, "back to the example")

  const draw = () => {
    const scores = rows.map(({ range }) => Number(range.value))
    const kept = rows.map(({ box }) => box.checked)
    const weights = weigh(scores, kept, Number(temperature.value))
    rows.forEach(({ range, number, bar, weight }, j) => {
      number.textContent = shown(scores[j])
      range.setAttribute("aria-valuetext", shown(scores[j]))
      bar.style.width = `${60 * weights[j]}%`
      weight.textContent = shown(weights[j])
    })
    degrees.textContent = Number(temperature.value).toFixed(1)
    const context = values[0].map((_, d) => weights.reduce((sum, weight, j) => sum + weight * values[j][d], 0))
    result.textContent = kept.some(Boolean)
      ? `weights (${weights.map(shown).join(", ")}), context (${context.map(shown).join(", ")})`
      : "No position is left: all weights are 0, and so is the context."
  }
  const reset = () => {
    rows.forEach(({ range, box }, j) => { range.value = start[j]; box.checked = true })
    temperature.value = 1
    draw()
  }
  place.addEventListener("input", draw)
  again.addEventListener("click", reset)
  draw()
}
addEventListener("DOMContentLoaded", () => document.querySelectorAll("div.weigh").forEach(build))
