// What a context costs: <div class="moved context" data-tokens="131072" data-top="…" data-cards="24 80 141">, its rows drawn by
// book/show/context_cost.py. A slider moves the tokens; bars are linear up to `top` bytes, or logarithmic. A row has the
// coefficients of its cache: bytes = full · tokens + local · min(window, tokens). `element` and `slider` are those of interactive.js.
{ // a block, for all scripts of a page share one global scope
const KIND = "context" // in the address: #live=context&tokens=131072&scale=log
const LIMITS = [1 << 10, 1 << 20], STEPS = 4 // an octave
const SCALES = { linear: "linear", log: "logarithmic" }
const LOG = [2 ** 22, 2 ** 42], TICKS = [2 ** 22, 2 ** 27, 2 ** 32, 2 ** 37, 2 ** 42] // bytes
const UNITS = ["KiB", "MiB", "GiB", "TiB"]

const bytesOf = ({ full, local, window }, tokens) => full * tokens + local * Math.min(window, tokens)

// 1,024 · 2ⁿ, and between two of them three more: 1.25, 1.5 and 1.75 times the lower one.
const tokensAt = (step) => 2 ** (10 + Math.floor(step / STEPS)) * (1 + (step % STEPS) / STEPS)
const LAST = STEPS * Math.log2(LIMITS[1] / LIMITS[0])
const stepOf = (tokens) => Array.from({ length: LAST + 1 }, (_, step) => step)
  .reduce((best, step) => (Math.abs(tokensAt(step) - tokens) < Math.abs(tokensAt(best) - tokens) ? step : best), 0)

const grouped = (number, digits = 0) => (Math.floor(number * 10 ** digits + 0.5) / 10 ** digits)
  .toFixed(digits).replace(/\B(?=(\d{3})+(?!\d))/g, ",")
const amount = (count) => {
  const power = Math.max(0, Math.min(UNITS.length - 1, Math.floor(Math.log2(count) / 10) - 1)), number = count / 2 ** (10 * (power + 1))
  return `${grouped(number, number < 10 ? 1 : 0)} ${UNITS[power]}`
}

// Where a bar of so many bytes ends, in per cent.
const partOf = (count, scale, top) => 100 * Math.max(0, Math.min(1,
  scale === "log" ? Math.log2(count / LOG[0]) / Math.log2(LOG[1] / LOG[0]) : count / top))

const inWords = (rows, tokens, cards) => {
  const caches = rows.map((row) => [bytesOf(row, tokens), row.name]).sort(([a, one], [b, two]) => a - b || (one < two ? -1 : 1))
  const [least, most] = [caches[0], caches.at(-1)]
  const fits = cards.map((card) => `${caches.filter(([count]) => count <= card * 1e9).length} fit one of ${card} GB`).join(", ")
  return `A text of ${grouped(tokens)} tokens takes ${amount(least[0])} (${least[1]}) to ${amount(most[0])} (${most[1]}). ` +
    `Of these ${rows.length} caches, ${fits.replace("one", "a card")}; the models' weights come on top. ` +
    `Models made for so long a text: ${rows.filter(({ longest }) => longest >= tokens).length}.`
}

const sent = () => new URLSearchParams(location.hash.slice(1))
const isMoving = () => matchMedia("(prefers-reduced-motion: no-preference)").matches

const build = (place) => {
  const list = place.querySelector("ul"), status = place.querySelector("[role=status]"), top = Number(place.dataset.top)
  const cards = place.dataset.cards.split(" ").map(Number), given = { tokens: Number(place.dataset.tokens), scale: "linear" }
  const rows = [...list.children].map((item) => ({
    item, name: item.querySelector("a").textContent, number: item.querySelector("b"),
    ...Object.fromEntries(["solid", "beyond", "own"].map((part) => [part, item.querySelector(`.bar .${part}`)])),
    ...Object.fromEntries(["full", "local", "window", "longest"].map((key) => [key, Number(item.dataset[key])])),
  }))
  const controls = place.querySelector(".settings")
  const tokens = slider(element(controls, "label", { class: "slider" }, "tokens "), "tokens in the text", [0, LAST, 1], () => grouped(given.tokens))
  const group = element(controls, "div", { role: "group", "aria-label": "scale of the bars" })
  const scales = Object.entries(SCALES).map(([scale, name]) => {
    const button = element(group, "button", { type: "button" }, name)
    button.addEventListener("click", () => { Object.assign(given, { scale }); draw(); keep() })
    return [scale, button]
  })
  const linear = [...place.querySelector(".ticks").children].map(({ textContent }) => [parseFloat(textContent) * 2 ** 30, textContent])
  const part = (count) => partOf(count, given.scale, top)
  const marks = (box, all) => box.replaceChildren(...all.map(([count, text]) => {
    const mark = document.createElement("span")
    mark.style.left = `${part(count)}%`
    mark.textContent = text
    return mark
  }))

  // The largest cache stands first; who has changed places is seen to move.
  const sort = () => {
    const order = [...rows].sort((a, b) => bytesOf(b, given.tokens) - bytesOf(a, given.tokens) || b.full + b.local - a.full - a.local)
    if (order.every(({ item }, at) => list.children[at] === item)) return
    const before = new Map(rows.map(({ item }) => [item, item.offsetTop]))
    list.append(...order.map(({ item }) => item))
    if (isMoving()) rows.forEach(({ item }) => {
      const from = before.get(item) - item.offsetTop
      if (from) item.animate([{ transform: `translateY(${from}px)` }, { transform: "none" }], { duration: 250, easing: "ease-out" })
    })
  }

  const draw = () => {
    sort()
    rows.forEach((row) => {
      const count = bytesOf(row, given.tokens), solid = part(bytesOf(row, Math.min(given.tokens, row.longest)))
      row.solid.style.width = row.beyond.style.left = `${solid}%`
      row.beyond.style.width = `${part(count) - solid}%`
      row.own.style.left = `${part(bytesOf(row, row.longest))}%`
      row.number.textContent = amount(count)
      row.item.className = `${given.tokens > row.longest ? "past" : "within"}${given.scale === "linear" && count > top ? " over" : ""}`
    })
    cards.forEach((card, at) => place.style.setProperty(`--card${at}`, `${part(card * 1e9)}%`))
    marks(place.querySelector(".cards"), cards.map((card, at) => [card * 1e9, given.scale === "log" && at === 1 ? card : `${card} GB`]))
    marks(place.querySelector(".ticks"), given.scale === "log" ? TICKS.map((tick) => [tick, amount(tick).replace(".0", "")]) : linear)
    place.classList.toggle("log", given.scale === "log")
    scales.forEach(([scale, button]) => button.setAttribute("aria-pressed", scale === given.scale))
    tokens.draw()
    status.textContent = inWords(rows, given.tokens, cards)
  }
  const keep = () => history.replaceState(null, "", `#live=${KIND}&tokens=${given.tokens}${given.scale === "log" ? "&scale=log" : ""}`)
  const put = (from) => {
    const wanted = Number(from("tokens"))
    if (Number.isInteger(wanted) && wanted >= LIMITS[0] && wanted <= LIMITS[1]) given.tokens = wanted
    given.scale = Object.hasOwn(SCALES, from("scale") ?? "") ? from("scale") : "linear"
    tokens.set(stepOf(given.tokens))
    draw()
  }
  const follow = () => {
    if (sent().get("live") !== KIND) return
    put((key) => sent().get(key))
    place.scrollIntoView({ block: "start" })
  }
  controls.addEventListener("input", () => { given.tokens = tokensAt(tokens.value()); draw(); keep() })
  addEventListener("hashchange", follow)
  put((key) => place.dataset[key])
  follow()
}

globalThis.contexts = { bytesOf, amount, partOf, inWords, tokensAt, stepOf } // for tests
addEventListener("DOMContentLoaded", () => document.querySelectorAll("div.moved.context").forEach(build))
}
