// Sinusoidal positions as a rotation: <div class="moved positions" data-width="8" data-pos="2" data-k="3"></div>.
// One pair of features is a point on a circle; k positions further is a rotation that does not depend on where it starts.
// `element`, `drawn`, `labelled`, `menu` and `shown` are those of interactive.js.
{ // a block, for all scripts of a page share one global scope
const LAST = { pos: 50, k: 20 } // of the sliders
const SIZE = 240, RADIUS = 84 // of the drawing, in its own units
const signed = (number) => shown(number).replace(/^-(?=\.?0+$)/, "").replace("-", "−")
const point = (angle) => [Math.sin(angle), Math.cos(angle)] // Vaswani et al. (2017), section 3.5: the sine comes first
const pairText = (numbers) => `(${numbers.map(signed).join(", ")})`

// The sine goes to the right and the cosine up, so position 0 points up, as the hand of a clock does.
const onCircle = (angle, radius = RADIUS) => {
  const [sine, cosine] = point(angle)
  return [SIZE / 2 + radius * sine, SIZE / 2 - radius * cosine]
}

const drawHand = (svg, angle, kind, label) => {
  const [x, y] = onCircle(angle), [labelX, labelY] = onCircle(angle, RADIUS + 18)
  drawn(svg, "line", { ...kind, x1: SIZE / 2, y1: SIZE / 2, x2: x, y2: y })
  drawn(svg, "circle", { class: "tip", cx: x, cy: y, r: 4 })
  drawn(svg, "text", { class: "small", x: labelX, y: labelY + 4 }, label)
}

// The arc from one point to the other, as a line of many short pieces: an arc of a whole turn would vanish.
const drawArc = (svg, from, turn) => {
  const arc = Math.min(turn, 2 * Math.PI)
  const points = Array.from({ length: 61 }, (_, i) => onCircle(from + (arc * i) / 60, RADIUS / 3).join(","))
  drawn(svg, "polyline", { class: "beam", "stroke-width": 2, points: points.join(" ") })
}

const drawClock = (svg, pos, k, speed) => {
  svg.replaceChildren()
  drawn(svg, "circle", { class: "ink", cx: SIZE / 2, cy: SIZE / 2, r: RADIUS, opacity: 0.5 })
  if (k) drawArc(svg, pos * speed, k * speed)
  drawHand(svg, pos * speed, { class: "ink" }, `${pos}`)
  if (k) drawHand(svg, (pos + k) * speed, { class: "beam", "stroke-width": 2.4 }, `${pos + k}`)
}

const inWords = (pos, k, speed) => {
  const turn = k * speed
  const [sine, cosine] = point(turn)
  return `Position ${pos} is at ${pairText(point(pos * speed))}, position ${pos + k} at ${pairText(point((pos + k) * speed))}. ` +
    `From one to the other, k = ${k}, the pair turns by ${signed(turn)} radians. For every position it is the same ` +
    `matrix, with the rows ${pairText([cosine, sine])} and ${pairText([-sine, cosine])}.`
}

const build = (place) => {
  const width = Number(place.dataset.width)
  place.replaceChildren()
  const speeds = Array.from({ length: width / 2 }, (_, i) => 10000 ** (-2 * i / width))
  element(place, "p", { class: "hint" }, "Move the position: both points move, and the angle between them stays.")
  const whole = (n) => `${n}`
  const pair = menu(element(place, "p"), "pair of features", speeds.map((speed, i) =>
    `i = ${i}, ${signed(speed)} radians a position`))
  const pos = labelled(place, "position: ", "position", [0, LAST.pos, 1], whole)
  const k = labelled(place, "offset k: ", "offset k", [0, LAST.k, 1], whole)
  pos.set(place.dataset.pos)
  k.set(place.dataset.k)
  // The status line says the same in words.
  const box = element(place, "div", { class: "drawing", "aria-hidden": "true" })
  const svg = drawn(box, "svg", { class: "clock", viewBox: `0 0 ${SIZE} ${SIZE}` })
  const result = element(place, "p", { role: "status" })
  const draw = () => {
    const speed = speeds[pair.value()]
    pos.draw()
    k.draw()
    drawClock(svg, pos.value(), k.value(), speed)
    result.textContent = inWords(pos.value(), k.value(), speed)
  }
  place.addEventListener("input", draw)
  draw()
}

addEventListener("DOMContentLoaded", () => document.querySelectorAll("div.moved.positions").forEach(build))
}
