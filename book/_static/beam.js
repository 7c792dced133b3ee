// Beam search on a small tree, with a slider for its width: <div class="moved beam" data-recording='{"tree", "otherwise"}'>.
// `tree` gives for a beginning the probabilities of the next word; one that it lacks ends with `otherwise`.
// `element`, `drawn`, `labelled` and `shown` are those of interactive.js.
{ // a block, for all scripts of a page share one global scope
const END = "</s>"
const COLUMN = 82, ROW = 44, BOX = [62, 26] // of the drawing, in its own units
const number = (p) => shown(p).replace(/\.?0+$/, "")
const sentence = ({ words }) => words.join(" ")

// The candidates of every step, most probable first; `kept` are the `width` best, and what has ended is put aside.
const search = ({ tree, otherwise }, width) => {
  const steps = []
  let active = [{ words: [], p: 1 }]
  while (active.length) {
    const candidates = active.flatMap((from) =>
      Object.entries(tree[sentence(from)] ?? { [END]: otherwise })
        .map(([word, q]) => ({ words: [...from.words, word], q, p: from.p * q })))
    candidates.sort((a, b) => b.p - a.p)
    candidates.forEach((candidate, i) => { candidate.kept = i < width })
    steps.push(candidates)
    active = candidates.filter(({ words, kept }) => kept && words.at(-1) !== END)
  }
  return steps
}

// log p / |y|^α, where the length counts the end mark.
const score = ({ words, p }, alpha) => Math.log(p) / words.length ** alpha
const best = (steps, alpha) => steps.flat()
  .filter(({ words, kept }) => kept && words.at(-1) === END)
  .reduce((a, b) => (score(b, alpha) > score(a, alpha) ? b : a))

// Where each beginning stands: the same for every width, so that a wider beam adds to the drawing and moves nothing.
const places = (given) => {
  const all = search(given, Infinity).flat()
  const at = {}
  let rows = 0
  const place = (words) => {
    const next = all.filter((each) => each.words.length === words.length + 1 && each.words.slice(0, -1).join(" ") === words.join(" "))
    const below = next.map((each) => place(each.words))
    const y = below.length ? (below[0] + below.at(-1)) / 2 : (rows++ + 0.5) * ROW
    at[words.join(" ")] = { x: (words.length + 0.5) * COLUMN, y }
    return y
  }
  place([])
  const columns = 1 + Math.max(...all.map(({ words }) => words.length))
  return { at, size: [columns * COLUMN, rows * ROW] }
}

const drawBox = (svg, { x, y }, word, kind, p) => {
  const [width, height] = BOX
  drawn(svg, "rect", { class: kind, x: x - width / 2, y: y - height / 2 - 4, width, height, rx: 5 })
  drawn(svg, "text", { x, y: y + 1 }, word)
  if (p) drawn(svg, "text", { class: "small soft", x, y: y + 21 }, p)
}

const drawTree = (svg, { at }, steps) => {
  svg.replaceChildren()
  const winner = sentence(best(steps, 0))
  steps.flat().forEach(({ words, q, kept }) => {
    const [from, to] = [at[words.slice(0, -1).join(" ")], at[words.join(" ")]]
    const [x1, x2, y1, y2] = [from.x + BOX[0] / 2, to.x - BOX[0] / 2, from.y - 4, to.y - 4]
    // Dashes beside the colour: what is dropped is told apart by everybody.
    drawn(svg, "line", { x1, x2, y1, y2, ...(kept ? { class: "beam", "stroke-width": 2.4 } : { class: "ink", "stroke-dasharray": "3 3" }) })
  })
  drawBox(svg, at[""], "<s>", "box")
  steps.flat().forEach((each) => drawBox(
    svg, at[sentence(each)], each.words.at(-1), sentence(each) === winner ? "box hot" : "box", number(each.p)))
}

const written = (candidates) => candidates.map((each) => `${sentence(each)} ${number(each.p)}`).join(", ") || "none"
const split = (step) => [step.filter(({ kept }) => kept), step.filter(({ kept }) => !kept)]

const fillTable = (body, steps) => {
  body.replaceChildren()
  steps.forEach((step, t) => {
    const row = element(body, "tr")
    element(row, "th", { scope: "row" }, `${t + 1}`)
    split(step).forEach((candidates) => element(row, "td", { class: "words" }, written(candidates)))
  })
}

const build = (place) => {
  const given = JSON.parse(place.dataset.recording)
  const layout = places(given)
  place.replaceChildren()
  element(place, "p", { class: "hint" }, "Move the slider: a wider beam keeps more beginnings, and the tree grows.")
  const width = labelled(place, "beam: ", "width of the beam", [1, 4, 1], (n) => `${n}`)
  width.set(2)
  // The table below says the same in words.
  const box = element(place, "div", { class: "drawing", "aria-hidden": "true" })
  const svg = drawn(box, "svg", { viewBox: `0 0 ${layout.size.join(" ")}`, style: `--w: ${layout.size[0]}` })
  const result = element(place, "p", { role: "status" })
  const table = element(place, "table", { class: "results" })
  element(table, "caption", {}, "Hypotheses after each step, most probable first, with their probability")
  const head = element(element(table, "thead"), "tr")
  ;["step", "kept", "dropped"].forEach((title) => element(head, "th", { scope: "col" }, title))
  const body = element(table, "tbody")
  const draw = () => {
    const steps = search(given, width.value())
    const [first, normalised] = [best(steps, 0), best(steps, 1)]
    width.draw()
    drawTree(svg, layout, steps)
    fillTable(body, steps)
    const kept = steps.map((step, t) => `step ${t + 1}: ${written(split(step)[0])}`).join("; ")
    result.textContent = `A beam of ${width.value()} keeps, ${kept}. Most probable finished sentence: ` +
      `${sentence(first)} ${number(first.p)}. With α = 1: ${sentence(normalised)}, score −${shown(-score(normalised, 1))}.`
  }
  place.addEventListener("input", draw)
  draw()
}

addEventListener("DOMContentLoaded", () => document.querySelectorAll("div.moved.beam").forEach(build))
}
