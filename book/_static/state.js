// Pairs in one matrix: <div class="moved state" data-d="8" data-rule="sum" data-writes="1-2-3-4"><p>…</p></div>.
// Each write adds key · valueᵀ, or by the delta rule replaces what the key gave before; bars show what is read back of each
// pair. A pair that is written again has another value. `element`, `drawn` and `menu` are those of interactive.js.
{ // a block, for all scripts of a page share one global scope
const KIND = "state" // in the address: #live=state&d=8&rule=delta&bars=near&writes=1-2-3-1
const WIDTHS = [4, 8, 16]
const RULES = { sum: "plain sum", delta: "delta rule" }
const BARS = { // name of a measure: in the menu, above the bars
  near: ["1 − error", "pair: 1 − |read − stored| / |stored|"],
  cosine: ["cosine", "pair: cosine of read and stored"],
}
const MOST = { pairs: 16, writes: 64 }
const SEED = 4 // of 60 the one whose errors are nearest to their means over 800 random draws
const SIDE = 160 // of the drawn matrix, in its own units

// Numbers between 0 and 1 that look random, the same for a seed on every machine: mulberry32.
const uniform = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
}

const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0)
const norm = (a) => Math.sqrt(dot(a, a))

// A vector of length 1 in a random direction. Normal numbers by Box and Muller: so no direction is preferred.
const direction = (d, pair, version) => {
  const next = uniform(((d * 31 + pair) * 97 + version) * 7919 + SEED)
  const x = Array.from({ length: d }, () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()))
  return x.map((each) => each / norm(x))
}
const keyOf = (d, pair) => direction(d, pair, 0)
const valueOf = (d, pair, version) => direction(d, pair, version) // versions count from 1

const zeros = (d) => Array.from({ length: d }, () => Array(d).fill(0))
const readBack = (state, key) => state[0].map((_, j) => state.reduce((sum, row, i) => sum + key[i] * row[j], 0)) // Sᵀk

// S ← S + k vᵀ, or S ← S + k (v - Sᵀk)ᵀ: Schlag et al. (2021), section 4.2, with β = 1.
const written = (state, key, value, rule) => {
  const old = readBack(state, key)
  return state.map((row, i) => row.map((x, j) => x + key[i] * (value[j] - (rule === "delta" ? old[j] : 0))))
}

// All writes from an empty matrix on: the state, and of each pair how often it was written and what is read back.
const replayed = ({ d, rule, writes }) => {
  const versions = []
  let state = zeros(d)
  writes.forEach((pair) => {
    versions[pair - 1] = (versions[pair - 1] ?? 0) + 1
    state = written(state, keyOf(d, pair), valueOf(d, pair, versions[pair - 1]), rule)
  })
  const pairs = versions.map((version, i) => {
    const read = readBack(state, keyOf(d, i + 1)), value = valueOf(d, i + 1, version)
    const error = norm(read.map((x, j) => x - value[j])) / norm(value)
    return { version, read, near: 1 - error, cosine: dot(read, value) / (norm(read) * norm(value) || 1) }
  })
  return { state, pairs }
}

const number = (x) => x.toFixed(2).replace(/^(-?)0\./, "$1.").replace("-", "−").replace("−.00", ".00")

const inWords = ({ d, rule, writes }, pairs) => {
  if (!pairs.length) return `Nothing is stored: a matrix of ${d} × ${d} zeros.`
  const mean = (measure) => number(pairs.reduce((sum, each) => sum + each[measure], 0) / pairs.length)
  const last = writes.at(-1), { near, cosine } = pairs[last - 1]
  return `${pairs.length} ${pairs.length === 1 ? "pair" : "pairs"} in a matrix of ${d} × ${d} = ${d * d} numbers; a cache would ` +
    `keep ${2 * d * pairs.length}. By the ${RULES[rule]}, 1 − error is ${mean("near")} on average and the cosine ${mean("cosine")}; ` +
    `for pair ${last}, written just now, ${number(near)} and ${number(cosine)}.`
}

const drawMatrix = (svg, state) => {
  svg.replaceChildren()
  const cell = SIDE / state.length, largest = Math.max(...state.flat().map(Math.abs)) || 1
  state.forEach((row, i) => row.forEach((x, j) => drawn(svg, "rect", {
    class: `cell ${x < 0 ? "state" : "weights"}`, x: j * cell, y: i * cell, width: cell, height: cell,
    "fill-opacity": Math.abs(x) / largest, "stroke-opacity": 0.3,
  })))
}

// Pairs are numbered as they come: a list that skips one is none of ours.
const isWrites = (writes) => writes.length <= MOST.writes && writes.every((pair, i) =>
  Number.isInteger(pair) && pair >= 1 && pair <= MOST.pairs && pair <= 1 + Math.max(0, ...writes.slice(0, i)))
const listOf = (text) => (text ? text.split("-").map(Number) : [])
const sent = () => new URLSearchParams(location.hash.slice(1))

const build = (place) => {
  const given = { d: WIDTHS[0], rule: "sum", bars: "near", writes: [] }
  const start = { ...place.dataset }
  place.replaceChildren()
  element(place, "p", { class: "hint" }, "Store pairs one after the other, and see what the matrix still knows of the first. Press a pair to write it again, with another value.")
  const controls = element(place, "div", { class: "settings" })
  const width = menu(controls, "width d", WIDTHS.map((d) => `${d}`))
  const bars = menu(controls, "bars", Object.values(BARS).map(([name]) => name))
  const group = element(controls, "div", { role: "group", "aria-label": "rule" })
  const change = (more) => { Object.assign(given, more); draw(); keep() }
  const rules = Object.entries(RULES).map(([rule, name]) => {
    const button = element(group, "button", { type: "button" }, name)
    button.addEventListener("click", () => change({ rule }))
    return [rule, button]
  })
  const more = element(controls, "button", { type: "button", class: "more" })
  const again = element(controls, "button", { type: "button" }, "empty the matrix")
  const store = (pair) => { if (isWrites([...given.writes, pair])) change({ writes: [...given.writes, pair] }) }
  const both = element(place, "div", { class: "both" })
  // The status line says the same in words.
  const box = element(both, "div", { class: "drawing", "aria-hidden": "true" })
  const svg = drawn(box, "svg", { class: "matrix", viewBox: `-1 -1 ${SIDE + 2} ${SIDE + 2}` })
  const side = element(both, "div", { class: "side" })
  const measure = element(side, "p")
  const list = element(side, "div", { class: "pairs", role: "group", "aria-label": "pairs: press one to write it again" })
  const status = element(place, "p", { role: "status" })
  const rows = []
  const addRow = (i) => {
    const button = element(list, "button", { type: "button" })
    const name = element(button, "span")
    const spoken = element(button, "span", { class: "live-hidden" })
    const fill = element(element(button, "span", { class: "bar" }), "span", { class: "fill" })
    button.addEventListener("click", () => store(i + 1))
    rows.push({ button, name, spoken, fill, number: element(button, "span", { class: "number" }) })
  }
  const draw = () => {
    const { state, pairs } = replayed(given)
    drawMatrix(svg, state)
    while (rows.length < pairs.length) addRow(rows.length)
    rows.splice(pairs.length).forEach(({ button }) => button.remove())
    measure.textContent = BARS[given.bars][1]
    pairs.forEach(({ version, [given.bars]: share }, i) => {
      rows[i].fill.style.width = `${100 * Math.max(0, share)}%`
      rows[i].number.textContent = number(share)
      rows[i].spoken.textContent = `written ${version === 1 ? "once" : `${version} times`}, ${BARS[given.bars][0]}`
      rows[i].name.textContent = `${i + 1}${"′".repeat(Math.min(3, version - 1))}`
    })
    width.select.value = WIDTHS.indexOf(given.d)
    bars.select.value = Object.keys(BARS).indexOf(given.bars)
    rules.forEach(([rule, button]) => button.setAttribute("aria-pressed", rule === given.rule))
    const isFull = !isWrites([...given.writes, pairs.length + 1])
    more.textContent = isFull ? "no room for more bars" : `store pair ${pairs.length + 1}`
    more.setAttribute("aria-disabled", isFull)
    status.textContent = inWords(given, pairs)
  }
  const keep = () => history.replaceState(null, "", `#live=${KIND}&d=${given.d}&rule=${given.rule}&bars=${given.bars}&writes=${given.writes.join("-")}`)
  const put = (from) => {
    if (WIDTHS.includes(Number(from("d")))) given.d = Number(from("d"))
    if (Object.hasOwn(RULES, from("rule") ?? "")) given.rule = from("rule")
    if (Object.hasOwn(BARS, from("bars") ?? "")) given.bars = from("bars")
    if (isWrites(listOf(from("writes")))) given.writes = listOf(from("writes"))
    draw()
  }
  const follow = () => {
    if (sent().get("live") !== KIND) return
    put((key) => sent().get(key))
    place.scrollIntoView({ block: "center" })
  }
  more.addEventListener("click", () => store(rows.length + 1))
  again.addEventListener("click", () => change({ writes: [] }))
  bars.select.addEventListener("input", () => change({ bars: Object.keys(BARS)[bars.value()] }))
  width.select.addEventListener("input", () => change({ d: WIDTHS[width.value()] }))
  addEventListener("hashchange", follow)
  put((key) => start[key])
  follow()
}

globalThis.stored = { keyOf, valueOf, replayed } // for tests
addEventListener("DOMContentLoaded", () => document.querySelectorAll("div.moved.state").forEach(build))
}
