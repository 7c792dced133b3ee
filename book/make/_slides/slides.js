// What the slides add to reveal.js: pictures that are built up by keys, and figures that keep their keys.
{
// Panels of a drawing come one by one.
document.querySelectorAll(".build .panels > :not(:first-child)").forEach((panel) => panel.classList.add("fragment"))

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

// A key belongs to what is being used; Escape, or a click, gives it back to the slides.
const isFree = () => !document.activeElement?.closest(".moved, .weigh, .touch")
document.addEventListener("keydown", (event) => { if (event.key === "Escape") document.activeElement?.blur() }, true)
document.addEventListener("pointerup", (event) => {
  const used = event.target.closest("button, input:not([type=number])")
  if (used) setTimeout(() => used.blur())
})

Reveal.on("ready", async ({ currentSlide }) => {
  Reveal.configure({ keyboardCondition: isFree })
  if (!Reveal.isPrintView()) step(currentSlide)
  await document.fonts.ready
  document.documentElement.dataset.ready = "yes"
})
Reveal.on("slidechanged", ({ currentSlide }) => step(currentSlide))
for (const change of ["fragmentshown", "fragmenthidden"]) Reveal.on(change, ({ fragment }) => step(fragment.closest("section")))
}
