// What the slides add to reveal.js: what keys bring, and whose keys they are.
{
// Panels of a drawing come one by one.
document.querySelectorAll(".build .panels > :not(:first-child)").forEach((panel) => panel.classList.add("fragment"))

// Answers come by columns or rows of a table, or by items of a list; `.told`: a paragraph of the column beside it with each step.
const later = (place, index) => {
  place.classList.add("fragment")
  place.dataset.fragmentIndex = index
}
const FOUND = {
  columns: (at) => `tbody tr > :nth-child(${at})`,
  rows: (at) => `tbody tr:nth-child(${at}) > :not(:first-child)`,
  items: (at) => `:scope > :is(ul, ol) > :nth-child(${at})`,
}
document.querySelectorAll(".answers").forEach(({ parentElement: slide, dataset: { kind, places } }) => places.split(" ").forEach((at, index) => {
  slide.querySelectorAll(FOUND[kind](at)).forEach((place) => {
    if (kind === "items") return later(place, index)
    const answer = document.createElement("span") // the cell keeps its border
    answer.append(...place.childNodes)
    place.append(answer)
    later(answer, index)
  })
}))
document.querySelectorAll(".steps.told").forEach((steps) => {
  [...steps.children].forEach(later)
  ;[...steps.closest("section").querySelectorAll(".column > p")].slice(1).forEach(later)
})

const SIDES = { left: (share) => `inset(0 ${share}% 0 0)`, top: (share) => `inset(0 0 ${share}% 0)` }

// Show as much of the slide's picture, or that state of it, as the last step that is there says.
const step = (slide) => slide.querySelectorAll(".steps").forEach((steps) => {
  const last = [...steps.children].filter((each) => each.matches(".visible")).pop()
  const to = Number(last?.dataset.to ?? steps.dataset.first)
  const { clip } = steps.dataset
  if (clip) slide.querySelector(":is(.drawn, .shown) svg, .heat").style.clipPath = to < 100 ? SIDES[clip](100 - to) : ""
  else choose([...slide.querySelectorAll(".chooser button")], to)
})
const choose = (buttons, to) => {
  const now = buttons.findIndex((each) => each.getAttribute("aria-pressed") === "true") + 1
  if (now !== to) buttons[(to || now) - 1]?.click()
}

// A figure has its own keys where Tab has led into it, or where one types in it. What a pointer has used leaves them to
// the slides; Escape gives them back without showing all slides; Page Up and Page Down turn slides unless one types.
const TYPED = "textarea, input:not([type]), input[type=text], input[type=number]"
const TURNED = { PageDown: "next", PageUp: "prev" }
const CLOSED = CSS.supports("selector(:open)") ? "select:not(:open)" : ":not(*)"
let isPointed = false // by what was used last
const used = () => (document.activeElement?.closest(".moved, .weigh, .touch") ? document.activeElement : null)
document.addEventListener("keydown", (event) => {
  const turn = TURNED[event.key], from = used()
  if (isPointed && from?.matches(CLOSED)) return from.blur() // the menu was closed as it was
  if (!from || (event.key !== "Escape" && (!turn || from.matches(TYPED)))) return
  from.blur()
  event.preventDefault()
  event.stopPropagation()
  if (turn) Reveal[turn]()
}, true)
document.addEventListener("keydown", () => { isPointed = false }, true)
document.addEventListener("pointerdown", () => { isPointed = true }, true)
for (const type of ["pointerup", "click", "change"]) document.addEventListener(type, ({ target }) => {
  const isOpen = type !== "change" && target.closest("select, label:has(select)") // its list would close
  if (isPointed && !isOpen && !target.closest(TYPED)) setTimeout(() => used()?.blur()) // after the figure's own listeners
})

// A panel that opens below a figure's edge comes into sight.
document.addEventListener("toggle", ({ target }) => {
  if (target.open) requestAnimationFrame(() => target.closest(".live")?.scrollTo({ top: target.offsetTop })) // it is drawn by then
}, true)

Reveal.on("ready", async ({ currentSlide }) => {
  Reveal.configure({ keyboardCondition: () => !used() })
  if (!Reveal.isPrintView()) step(currentSlide)
  await document.fonts.ready
  document.documentElement.dataset.ready = "yes"
})
Reveal.on("slidechanged", ({ currentSlide }) => step(currentSlide))
for (const change of ["fragmentshown", "fragmenthidden"]) Reveal.on(change, ({ fragment }) => step(fragment.closest("section")))
}
