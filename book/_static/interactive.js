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
const table = (place, caption, titles, count, fill, first = 1) => {
  const made = element(place, "table", { class: "weigh" })
  element(made, "caption", {}, caption)
  const head = element(element(made, "thead"), "tr")
  const every = ["position", ...titles, "weight"]
  every.forEach((title) => element(head, "th", { scope: "col" }, title))
  const body = element(made, "tbody")
  const bars = Array.from({ length: count }, (_, j) => {
    const row = element(body, "tr")
    element(row, "th", { scope: "row" }, `${j + first}`)
    fill(row, j)
    const cell = element(row, "td", { class: "bar" })
    return [element(cell, "span", { class: "fill" }), element(cell, "span", { class: "number" })]
  })
  return (weights) => bars.forEach(([fill, number], j) => {
    fill.style.width = `${60 * weights[j]}%`
    number.textContent = shown(weights[j])
  })
}

// Two-dimensional values as arrows from 0, and the context where their weights put it: in the triangle between the tips.
const plane = (place, values) => {
  const side = 230, most = Math.max(...values.flat(), 1) * 1.15, at = ([x, y]) => [40 + (x / most) * 180, 195 - (y / most) * 180]
  const svg = drawn(place, "svg", { class: "plane", viewBox: `0 0 ${side} ${side}`, "aria-hidden": "true" })
  const arrow = (name, kind) => {
    const line = drawn(svg, "path", { class: kind }), letter = drawn(svg, "text", { class: kind })
    drawn(letter, "tspan", { "font-style": "italic" }, name[0])
    drawn(letter, "tspan", { dy: 4, "font-size": "11" }, name.slice(1))
    return (value) => {
      const [x, y] = at(value), turn = Math.atan2(y - at([0, 0])[1], x - at([0, 0])[0]), wing = (by) => `${x - 9 * Math.cos(turn + by)} ${y - 9 * Math.sin(turn + by)}`
      line.setAttribute("d", `M${at([0, 0]).join(" ")}L${x} ${y}M${wing(0.4)}L${x} ${y}L${wing(-0.4)}`)
      letter.setAttribute("x", x + 7)
      letter.setAttribute("y", y - 5)
    }
  }
  const [x0, y0] = at([0, 0])
  drawn(svg, "path", { class: "axis", d: `M${x0} 12V${y0}H${side - 5}` })
  for (const number of [1]) {
    drawn(svg, "text", { class: "small", x: at([number, 0])[0], y: y0 + 17, "text-anchor": "middle" }, number)
    drawn(svg, "text", { class: "small", x: x0 - 7, y: at([0, number])[1] + 4, "text-anchor": "end" }, number)
  }
  const area = drawn(svg, "path", { class: "reach" }), arrows = values.map((_, j) => arrow(`h${j + 1}`, "state")), c = arrow("c", "context")
  arrows.forEach((put, j) => put(values[j]))
  return (context, kept) => {
    const corners = values.filter((_, j) => kept[j]).map((value) => at(value).join(" "))
    area.setAttribute("d", corners.length ? `M${corners.join("L")}Z` : "")
    svg.querySelectorAll(".state").forEach((each, i) => each.classList.toggle("away", !kept[Math.floor(i / 2)]))
    c(context)
  }
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
  const beside = element(place, "div", { class: "beside" })
  const drawWeights = table(beside, caption, ["score", "mask"], start.length, (row, j) => {
    scores.push(slider(element(row, "td"), `score of position ${j + 1}`, [-4, 4, 0.001]))
    const attributes = { type: "checkbox", "aria-label": `position ${j + 1} is in the mask` }
    boxes.push(element(element(row, "td"), "input", attributes))
  })
  const drawPlane = values[0].length === 2 ? plane(beside, values) : () => {}
  const one = (number) => number.toFixed(1)
  const temperature = labelled(place, "temperature, by which the scores are divided: ", "temperature", [0.1, 4, 0.1], one)
  const result = element(place, "p", { role: "status" })
  const draw = () => {
    const kept = boxes.map((box) => box.checked)
    const weights = weigh(scores.map((score) => score.value()), kept, temperature.value())
    const context = values[0].map((_, d) => weights.reduce((sum, weight, j) => sum + weight * values[j][d], 0))
    drawWeights(weights)
    drawPlane(context, kept)
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

// The words as numbers in a row, their weights as bars, and over them the bell, which can be dragged.
const row = (place, scores, moved) => {
  const [left, step, floor, top] = [84, 58, 150, 30], x = (position) => left + step * (position + 0.5)
  const width = left + 20 + step * scores.length, last = scores.length - 1
  const svg = drawn(place, "svg", { class: "bell", viewBox: `0 0 ${width} 200`, "aria-hidden": "true" })
  const reach = drawn(svg, "rect", { class: "reach", y: top, height: floor - top })
  const alone = scores.map((_, s) => drawn(svg, "rect", { class: "alone", x: x(s) - 20, width: 40 }))
  const bars = scores.map((_, s) => drawn(svg, "rect", { class: "bar", x: x(s) - 20, width: 40 }))
  const numbers = scores.map((_, s) => drawn(svg, "text", { class: "small", x: x(s), "text-anchor": "middle" }))
  const bell = drawn(svg, "path", { class: "curve" }), middle = drawn(svg, "path", { class: "middle" })
  drawn(svg, "path", { class: "axis", d: `M${left} ${floor}H${width - 20}` })
  ;[["position", scores.map((_, s) => s)], ["score", scores]].forEach(([name, numbers], line) => {
    drawn(svg, "text", { class: "small", x: 0, y: floor + 22 * (line + 1) }, name)
    numbers.forEach((number, s) => drawn(svg, "text", { x: x(s), y: floor + 22 * (line + 1), "text-anchor": "middle" }, number))
  })
  const hold = (event) => {
    if (event.type === "pointerdown") svg.setPointerCapture(event.pointerId)
    if (!svg.hasPointerCapture(event.pointerId)) return
    const { left: from, width: wide } = svg.getBoundingClientRect(), at = ((event.clientX - from) * width) / wide
    moved(Math.max(0, Math.min(last, (at - left) / step - 0.5)))
  }
  svg.addEventListener("pointerdown", hold)
  svg.addEventListener("pointermove", hold)
  const height = (share) => (floor - top) * share
  let before = null
  return (weights, kept, p, D) => {
    reach.setAttribute("x", Math.max(left, x(p - D)))
    reach.setAttribute("width", Math.min(width - 20, x(p + D)) - Math.max(left, x(p - D)))
    const unbent = weigh(scores, kept)
    alone.forEach((bar, s) => {
      bar.setAttribute("y", floor - height(unbent[s]))
      bar.setAttribute("height", height(unbent[s]))
    })
    bars.forEach((bar, s) => {
      bar.setAttribute("y", floor - height(weights[s]))
      bar.setAttribute("height", height(weights[s]))
      bar.classList.toggle("jumped", before !== null && before[s] !== kept[s])
      numbers[s].textContent = kept[s] ? shown(weights[s]) : ""
      numbers[s].setAttribute("y", floor - height(weights[s]) - 6)
    })
    before = kept
    const points = Array.from({ length: 81 }, (_, i) => p - D + (i / 40) * D).filter((at) => at >= -0.5 && at <= last + 0.5)
    bell.setAttribute("d", `M${points.map((at) => `${x(at).toFixed(1)} ${(floor - height(Math.exp((-2 * (at - p) ** 2) / D ** 2))).toFixed(1)}`).join("L")}`)
    middle.setAttribute("d", `M${x(p)} ${top - 6}V${floor}`)
  }
}

const buildWindow = (place) => {
  const scores = place.dataset.scores.split(" ").map(Number), last = scores.length - 1
  element(place, "p", {}, "Drag the bell. Dashed: the softmax within the window; filled: times the bell. The weights jump where a word enters or leaves.")
  const drawRow = row(place, scores, (to) => { p.set(to); draw() })
  const p = labelled(place, "middle of the window: p = ", "p, the middle of the window", [0, last, 0.05], (x) => x.toFixed(2))
  const D = labelled(place, "half its width: D = ", "D, half the width of the window", [1, last, 1], (x) => `${x}`)
  const result = element(place, "p", { role: "status" })
  const draw = () => {
    const weights = weighWindow(scores, p.value(), D.value()), kept = inWindow(scores, p.value(), D.value())
    drawRow(weights, kept, p.value(), D.value())
    p.draw()
    D.draw()
    const sum = shown(weights.reduce((a, b) => a + b, 0))
    result.textContent = `positions ${kept.indexOf(true)} to ${kept.lastIndexOf(true)}, weights ${listed(weights)}, sum ${sum}`
  }
  finish(place, () => { p.set(place.dataset.p); D.set(place.dataset.d) }, draw)
}

addEventListener("DOMContentLoaded", () => document.querySelectorAll("div.weigh").forEach((place) =>
  (place.classList.contains("window") ? buildWindow : buildWeights)(place)))
