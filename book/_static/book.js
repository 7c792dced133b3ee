// What scrolls sideways on a narrow screen can be reached, and so scrolled, with the keyboard.
const ROOM = 4 // pixels: italic letters and rounding reach farther than that over no edge
const BOXES = ".formula, .drawing, .plot-box, .output, pre, .pst-scrollable-table-container"
const boxes = new ResizeObserver((entries) => {
  // All is read before anything is written, so that the browser lays the page out once.
  const wide = entries.map(({ target }) => target.scrollWidth > target.clientWidth + ROOM)
  entries.forEach(({ target }, number) => {
    if (wide[number]) target.tabIndex = 0
    else target.removeAttribute("tabindex")
    target.classList.toggle("goes-on", wide[number])
  })
})
// Its right edge fades as long as there is more to see.
document.addEventListener("scroll", ({ target }) => {
  if (target.matches?.(BOXES)) target.classList.toggle("goes-on", target.scrollLeft + target.clientWidth < target.scrollWidth - ROOM)
}, { capture: true, passive: true })
const look = () => document.querySelectorAll(BOXES).forEach((box) => {
  boxes.unobserve(box)
  boxes.observe(box)
})
look()
// On a phone the contents of a page lie over it: who has chosen a section wants to read it.
document.querySelector("#pst-secondary-sidebar-modal")?.addEventListener("click", ({ target, currentTarget }) => {
  if (target.closest("a")) currentTarget.close()
})
// The list of pages keeps the place to which it was scrolled on the page before, where this one may be out of sight.
const here = () => {
  const list = document.querySelector(".bd-sidebar-primary"), entry = [...list?.querySelectorAll(".bd-docs-nav .active") ?? []].at(-1)
  const box = list?.getBoundingClientRect(), own = entry?.getBoundingClientRect()
  if (own?.height && (own.top < box.top || own.bottom > box.bottom)) list.scrollTop += own.top - box.top - box.height / 3
}
addEventListener("DOMContentLoaded", () => { // when the theme has put the old place back, and can open the list on a phone
  here()
  document.querySelector(".primary-toggle")?.addEventListener("click", here)
})
document.fonts.addEventListener("loadingdone", look)  // the same box holds wider letters
