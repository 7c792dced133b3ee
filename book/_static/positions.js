// Sinusoidal positions as clocks: <div class="moved positions" data-width="16" data-pos="2" data-k="3"></div>.
// Each pair of features is a point on a circle; k positions further is a rotation that does not depend on where it starts.
// `element`, `drawn`, `labelled` and `shown` are those of interactive.js.
{ // a block, for all scripts of a page share one global scope
const LAST = { pos: 50, k: 20 } // of the sliders
const SIZE = 150, RADIUS = 52 // of a clock, in its own units
const CLOCKS = 4 // of the fastest pairs; all have stripes
const CELL = { wide: 9, high: 12, left: 66, top: 26 } // of the stripes
const signed = (number) => shown(number).replace(/^-(?=\.?0+$)/, "").replace("-", "−")
const point = (angle) => [Math.sin(angle), Math.cos(angle)] // Vaswani et al. (2017), section 3.5: the sine comes first
const pairText = (numbers) => `(${numbers.map(signed).join(", ")})`

// The sine goes to the right and the cosine up, so position 0 points up, as the hand of a clock does.
const onCircle = (angle, radius = RADIUS) => {
  const [sine, cosine] = point(angle)
  return [SIZE / 2 + radius * sine, SIZE / 2 - radius * cosine]
}

const drawHand = (svg, angle, kind, label) => {
  const [x, y] = onCircle(angle), [labelX, labelY] = onCircle(angle, RADIUS + 14)
  drawn(svg, "line", { ...kind, x1: SIZE / 2, y1: SIZE / 2, x2: x, y2: y })
  drawn(svg, "circle", { class: "tip", cx: x, cy: y, r: 3.5 })
  drawn(svg, "text", { class: "small", x: labelX, y: labelY + 4 }, label)
}

// The arc from one point to the other, as a line of many short pieces: an arc of a whole turn would vanish.
const drawArc = (svg, from, turn) => {
  const arc = Math.min(turn, 2 * Math.PI)
  const points = Array.from({ length: 61 }, (_, i) => onCircle(from + (arc * i) / 60, RADIUS / 3).join(","))
  drawn(svg, "polyline", { class: "beam", "stroke-width": 2, points: points.join(" ") })
}

// Two hands that nearly lie on each other have one label.
const drawClock = (svg, pos, k, speed) => {
  svg.replaceChildren()
  drawn(svg, "circle", { class: "ink", cx: SIZE / 2, cy: SIZE / 2, r: RADIUS, opacity: 0.5 })
  if (k) drawArc(svg, pos * speed, k * speed)
  const together = Math.cos(k * speed) > 0.9
  drawHand(svg, pos * speed, { class: "ink" }, k && together ? "" : `${pos}`)
  if (k) drawHand(svg, (pos + k) * speed, { class: "beam", "stroke-width": 2.4 }, together ? `${pos}, ${pos + k}` : `${pos + k}`)
}

// One row for each feature, one column for each position: the darker, the nearer to 1.
const drawStripes = (box, speeds) => {
  const count = LAST.pos + LAST.k + 1, { wide, high, left, top } = CELL
  const svg = drawn(box, "svg", { class: "stripes", "shape-rendering": "crispEdges", viewBox: `0 0 ${left + wide * count + 8} ${top + 2 * high * speeds.length + 6}` })
  speeds.forEach((speed, i) => drawn(svg, "text", { class: "small end", x: left - 6, y: top + high * (2 * i + 1) + 5 }, `i = ${i}`))
  speeds.forEach((speed, i) => [0, 1].forEach((j) => {
    const y = top + high * (2 * i + j)
    for (let pos = 0; pos < count; pos++) {
      const value = point(pos * speed)[j]
      drawn(svg, "rect", { class: "cell", x: left + wide * pos, y, width: wide, height: high, "fill-opacity": ((value + 1) / 2).toFixed(3) })
    }
  }))
  const marks = ["ink", "beam"].map((kind) => ({
    frame: drawn(svg, "rect", { class: `frame ${kind}`, y: top - 1, width: wide, height: 2 * high * speeds.length + 2 }),
    label: drawn(svg, "text", { class: "small", y: top - 7 }),
  }))
  const move = (pos, k) => [pos, pos + k].forEach((each, i) => {
    marks[i].frame.setAttribute("x", left + wide * each)
    marks[i].label.setAttribute("x", left + wide * (each + 0.5))
    marks[i].label.textContent = i && k < 3 ? "" : each
  })
  const under = (event) => {
    const { left: edge, width } = svg.getBoundingClientRect()
    const x = (event.clientX - edge) * (svg.viewBox.baseVal.width / width)
    return Math.min(LAST.pos, Math.max(0, Math.floor((x - left) / wide)))
  }
  return { svg, move, under }
}

const inWords = (i, pos, k, speed) => {
  const turn = k * speed
  const [sine, cosine] = point(turn)
  return `Clock i = ${i}: position ${pos} is at ${pairText(point(pos * speed))}, position ${pos + k} at ${pairText(point((pos + k) * speed))}. ` +
    `From one to the other, k = ${k}, it turns by ${signed(turn)} radians. For every position that is the same ` +
    `matrix, with the rows ${pairText([cosine, sine])} and ${pairText([-sine, cosine])}.`
}

const build = (place) => {
  const width = Number(place.dataset.width)
  place.replaceChildren()
  const speeds = Array.from({ length: width / 2 }, (_, i) => 10000 ** (-2 * i / width))
  element(place, "p", { class: "hint" }, "Drag across the stripes (full colour is 1, none −1): all hands turn, each at its own speed, and the angle between the two of a clock stays.")
  const given = { pair: 0 }
  const dials = element(place, "div", { class: "dials drawing", role: "group", "aria-label": "pair of features" })
  const clocks = speeds.slice(0, CLOCKS).map((speed, i) => {
    const button = element(dials, "button", { type: "button" })
    const svg = drawn(button, "svg", { class: "clock", viewBox: `0 0 ${SIZE} ${SIZE}`, "aria-hidden": "true" })
    element(button, "span", {}, `i = ${i}: ${signed(speed)} rad a step`)
    button.addEventListener("click", () => { given.pair = i; draw() })
    return { button, svg }
  })
  // The status line says the same in words, and the slider moves the same.
  const stripes = drawStripes(element(place, "div", { class: "drawing", "aria-hidden": "true" }), speeds)
  const whole = (n) => `${n}`
  const line = element(place, "div", { class: "sliders" })
  const pos = labelled(line, "position: ", "position", [0, LAST.pos, 1], whole)
  const k = labelled(line, "offset k: ", "offset k", [0, LAST.k, 1], whole)
  pos.set(place.dataset.pos)
  k.set(place.dataset.k)
  const result = element(place, "p", { role: "status" })
  const draw = () => {
    pos.draw()
    k.draw()
    clocks.forEach(({ button, svg }, i) => {
      button.setAttribute("aria-pressed", i === given.pair)
      drawClock(svg, pos.value(), k.value(), speeds[i])
    })
    stripes.move(pos.value(), k.value())
    result.textContent = inWords(given.pair, pos.value(), k.value(), speeds[given.pair])
  }
  const drag = (event) => { if (event.buttons) { pos.set(stripes.under(event)); draw() } }
  stripes.svg.addEventListener("pointerdown", drag)
  stripes.svg.addEventListener("pointermove", drag)
  place.addEventListener("input", draw)
  draw()
}

addEventListener("DOMContentLoaded", () => document.querySelectorAll("div.moved.positions").forEach(build))
}
