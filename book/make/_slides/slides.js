// Makes a chapter's slides fit their frame, then starts reveal.js. book/slides.py writes the slides, one thing on each;
// how tall a thing is, only the browser knows. What follows each other in one subsection shares a slide where there is
// room, and a line or two go to the picture beside them; a table, list or code that is too tall goes on with the next
// slide; drawings and plots take what room is left; and what is still too large is drawn smaller.
{
const FRAME = { width: 1280, height: 720 }
const BOTTOM = 674 // below it: progress and number
const SMALLEST = 0.86 // a slide's letters of 28 pixels stay above 24; rather than smaller, it is divided
const SMALLEST_WHOLE = 0.74 // of a listing or a table that need not be divided then
const NEVER = 0.3
const LARGEST = 1.35
const GROWING = ["formula", "table", "heat", "output", "code", "interactive", "quote"]
const STEP = 0.97
const TALL = 200 // of a drawing, before the text around it becomes smaller
const WIDEST = 792, TALLEST = 590 // of a drawing beside text: with the text's column it fills the frame
const JOINED = ["formula", "code", "output", "list", "prose", "table", "quote"]
const PICTURES = ["drawing", "plot", "heat"]
const BRIEF = 260 // letters that are no slide of their own

const body = (slide) => slide.querySelector(".body")
const top = (slide) => slide.getBoundingClientRect().top
const bottom = (slide) => body(slide).getBoundingClientRect().bottom - top(slide)
const is = (slide, ...kinds) => kinds.includes(slide.dataset.kind)
const isWide = (slide, within = body(slide)) => {
  const right = body(slide).getBoundingClientRect().right + 1
  return [...within.querySelectorAll(".formula, .eqno, table, pre, .moved, .weigh, .drawing, img, svg, li, p")]
    .some((each) => !each.closest(".katex svg, aside") && (each.scrollWidth > each.clientWidth + 2 && each.clientWidth > 0
      && getComputedStyle(each).display !== "inline" || each.getBoundingClientRect().right > right))
}
const fits = (slide) => bottom(slide) <= BOTTOM && !isWide(slide)

const isBrief = (slide) => is(slide, "prose", "output") && body(slide).textContent.trim().length < BRIEF
// Panels of a drawing are as large as their letters ask for: they need no slide.
const isSmall = (slide) => is(slide, ...JOINED) || slide.querySelector(".body > .output > .panels") !== null
const isPart = (slide, other) => slide.dataset.part === other.dataset.part

// Move all that a slide shows to `to`, and say whether that fits; what is too wide is drawn smaller afterwards.
const moved = (slide, to, place = "append") => {
  const all = [...body(slide).children]
  const wide = isWide(slide) || isWide(to)
  body(to)[place](...all)
  body(to).style.zoom = SMALLEST / STEP // what shrinking reaches
  const isFit = bottom(to) <= BOTTOM && (wide || !isWide(to))
  body(to).style.zoom = ""
  if (is(to, ...PICTURES) && !isSmall(to)) all.forEach((each) => each.classList.add("lead"))
  else if (!isFit) {
    body(slide).append(...all)
    return false
  }
  const notes = slide.querySelector("aside.notes")
  const kept = to.querySelector("aside.notes")
  if (notes) kept ? kept[place](...notes.childNodes) : to.append(notes)
  slide.remove()
  return true
}

const join = (slides) => {
  let first = null
  slides.forEach((slide) => {
    const isOfSection = first?.parentElement === slide.parentElement
    const isOnPicture = first && isPart(first, slide) && is(first, ...PICTURES) && !isSmall(first) && isBrief(slide)
    const isUnderOther = first && isPart(first, slide) && isSmall(first) && isSmall(slide)
    if ((isOnPicture || isUnderOther) && moved(slide, first)) return
    // What only leads to a subsection stands above the first thing of it.
    if (isOfSection && is(first, "prose") && isBrief(first) && is(slide, ...JOINED, ...PICTURES)) moved(first, slide, "prepend")
    first = slide
  })
}

const shown = (slide) => [...body(slide).children].filter((each) => !each.matches(".lead"))

// Make a slide's letters smaller until it fits, down to SMALLEST; where that is not `all`, what is shown even more.
const shrink = (slide, all = false) => {
  const least = is(slide, "code", "table") ? SMALLEST_WHOLE : SMALLEST
  for (let zoom = 1; !fits(slide) && zoom * STEP >= least;) body(slide).style.zoom = zoom *= STEP
  if (all || fits(slide)) return fits(slide)
  for (let zoom = 1; !fits(slide) && zoom * STEP >= NEVER;) {
    zoom *= STEP
    const isTall = bottom(slide) > BOTTOM
    shown(slide).forEach((each) => { if (isTall || isWide(slide, each)) each.style.zoom = zoom })
  }
  return fits(slide)
}

// A large table of weights is read by its colours: without its numbers the words beside it stay legible.
const thin = (slide) => {
  const table = slide.querySelector(".heat table:has(tr:nth-child(16))")
  if (table) table.classList.add("dense")
  body(slide).classList.toggle("beside", table !== null)
}

// The name of a row stays on one line, where there is room.
const unwrap = (slide) => slide.querySelectorAll("table.results").forEach((table) => {
  table.classList.add("unwrapped")
  if (isWide(slide)) table.classList.remove("unwrapped")
})

// A drawing or a plot gets the room that the text leaves, below it or beside it, whichever is more.
const fitPicture = (slide) => {
  const picture = body(slide).querySelector(".drawing svg, .output > :is(img, .plot)")
  if (!picture || picture.closest(".moved, .panels")) return
  const hasText = slide.querySelector(".lead, figcaption") !== null
  const size = picture.viewBox?.baseVal ?? { width: picture.naturalWidth, height: picture.naturalHeight }
  const drawn = (isBeside) => {
    body(slide).classList.toggle("beside", isBeside)
    picture.style.maxHeight = ""
    // A tall picture leaves the text a wider column.
    body(slide).style.setProperty("--picture", `${Math.min(WIDEST, (TALLEST * size.width) / size.height)}px`)
    const { height } = picture.getBoundingClientRect()
    picture.style.maxHeight = `${Math.max(TALL, Math.floor(height - Math.max(0, bottom(slide) - BOTTOM)))}px`
    const { width, height: left } = picture.getBoundingClientRect()
    return fits(slide) ? Math.min(width / size.width, left / size.height) : 0
  }
  if (!hasText || drawn(true) < 1.1 * drawn(false)) drawn(false)
  else drawn(true)
}

// A figure whose model runs here grows when it has been loaded: it gets the room that there is, and scrolls.
const fitLive = (slide) => slide.querySelectorAll(".live").forEach((figure) => {
  figure.style.height = `${BOTTOM - (figure.getBoundingClientRect().top - top(slide))}px`
})

// A short thing alone on its slide is drawn larger; the text above it is not. Lines of code do not break for that.
const grow = (slide) => {
  if (!is(slide, ...GROWING) || body(slide).style.zoom || slide.dataset.divided) return
  const blocks = shown(slide)
  const code = [...slide.querySelectorAll("pre")]
  const heights = (zoom) => code.map((pre) => Math.round(pre.getBoundingClientRect().height / zoom / 10))
  const before = `${heights(1)}`
  for (let zoom = LARGEST; zoom > 1; zoom -= 0.05) {
    blocks.forEach((each) => { each.style.zoom = zoom })
    if (fits(slide) && `${heights(zoom)}` === before) return
  }
  blocks.forEach((each) => { each.style.zoom = "" })
}

// The rows, items or lines by which a slide may be divided.
const pieces = (slide) => {
  const place = [".body > ul, .body > ol", ".body table:not(.heat table, .moved table, .weigh table) > tbody", ".body > .code pre"]
    .map((each) => slide.querySelector(each)).find(Boolean)
  return place && place.children.length > 1 ? place : null
}

// Code as one element a line, so that it can be divided between lines. The highlighter ends its marks with the line.
const lines = (pre) => {
  const text = pre.innerHTML.replace(/\n$/, "").split("\n")
  pre.replaceChildren(...text.map((line) => {
    const made = document.createElement("span")
    made.className = "line"
    made.innerHTML = line || " "
    return made
  }))
}

const goesOn = (slide) => {
  const heading = slide.querySelector("h2")
  if (!heading.textContent.endsWith("…")) heading.append(" …")
}

// Move what does not fit to a new slide after this one; the row or line that begins it has its heading and its head.
const divide = (slide) => {
  const place = pieces(slide)
  if (!place || shrink(slide, true) || bottom(slide) <= BOTTOM) return
  slide.dataset.divided = "yes"
  const next = slide.cloneNode(true)
  next.querySelectorAll("aside.notes, .lead").forEach((each) => each.remove())
  goesOn(next)
  slide.after(next)
  const rest = pieces(next)
  const all = [...rest.children]
  while (place.children.length > 1 && bottom(slide) > BOTTOM) place.lastElementChild.remove()
  // Two halves rather than a slide with a single last line.
  const kept = Math.min(place.children.length, Math.max(Math.ceil(all.length / 2), all.length - 3))
  while (place.children.length > kept) place.lastElementChild.remove()
  all.slice(0, place.children.length).forEach((each) => each.remove())
  if (rest.matches("ol")) rest.start = (place.start || 1) + place.children.length
  body(slide).style.zoom = body(next).style.zoom = ""
  shrink(slide, true)
  divide(next)
}

// An answer that leaves its question no room has a slide of its own.
const apart = (slide) => {
  const answer = slide.querySelector(".answer")
  if (!answer || shrink(slide, true)) return
  body(slide).style.zoom = ""
  const next = slide.cloneNode(true)
  next.querySelectorAll(".asked, aside.notes").forEach((each) => each.remove())
  goesOn(next)
  next.querySelector(".answer").classList.remove("fragment")
  answer.remove()
  slide.after(next)
}

const arrange = () => {
  const slides = () => [...document.querySelectorAll(".slides section > section")]
  document.querySelectorAll(".code pre").forEach(lines)
  document.querySelectorAll(".live > :not(.live-field)").forEach((each) => each.remove()) // what stands there without scripts
  join(slides())
  slides().forEach((slide) => {
    unwrap(slide)
    apart(slide)
  })
  slides().forEach((slide) => { divide(slide) })
  slides().forEach((slide) => {
    thin(slide)
    fitLive(slide)
    fitPicture(slide)
    shrink(slide)
    grow(slide)
  })
}

// A key belongs to what is being used: a slider, a menu, a button, a table of weights.
const isFree = (event) => !event.target.closest?.("input, select, button, [tabindex]:not(section):not(.reveal), .moved, .weigh")

// After a click the keys are the slides' again; Escape gives them back to whoever used the keyboard.
const release = () => {
  document.addEventListener("pointerup", (event) => {
    const used = event.target.closest("input, button")
    if (used) setTimeout(() => used.blur())
  })
  document.addEventListener("change", (event) => { if (event.target.matches("select")) event.target.blur() })
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !isFree(event)) document.activeElement.blur()
  })
}

// A figure loads its model when its slide is reached, and before all slides are printed.
const start = (slide) => {
  slide.querySelectorAll(".live input[type=text]").forEach((input) => input.dispatchEvent(new Event("input")))
  slide.querySelectorAll(".live:has(.live-load[role]) .live-play").forEach((button) => button.click())
}
const started = async () => {
  start(document)
  while (document.querySelector(".live-load[role]")) await new Promise((done) => setTimeout(done, 50))
  await new Promise((done) => setTimeout(done, 1000)) // a loss comes 100 ms after its answer, later where the machine is busy
}

addEventListener("load", async () => {
  await Promise.all([...document.fonts].map((font) => font.load().catch(() => null)))
  arrange()
  document.documentElement.classList.remove("measured")
  release()
  await Reveal.initialize({
    ...FRAME, margin: 0.02, center: false, hash: true, slideNumber: "c/t", transition: "none", navigationMode: "linear",
    keyboardCondition: isFree, pdfMaxPagesPerSlide: 1, pdfSeparateFragments: false, plugins: [RevealNotes],
  })
  Reveal.on("slidechanged", ({ currentSlide }) => start(currentSlide))
  start(Reveal.getCurrentSlide())
  if (Reveal.isPrintView()) await started()
  document.documentElement.dataset.ready = "yes"
})
}
