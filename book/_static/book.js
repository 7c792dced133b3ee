// What scrolls sideways on a narrow screen can be reached, and so scrolled, with the keyboard.
const ROOM = 4 // pixels: italic letters and rounding reach farther than that over no edge
const BOXES = ".formula, .drawing, .output, pre, .pst-scrollable-table-container"
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
document.fonts.addEventListener("loadingdone", look)  // the same box holds wider letters
