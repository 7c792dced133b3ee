// What scrolls sideways on a narrow screen can be reached, and so scrolled, with the keyboard.
const boxes = new ResizeObserver((entries) => {
  // All is read before anything is written, so that the browser lays the page out once.
  const wide = entries.map(({ target }) => target.scrollWidth > target.clientWidth)
  entries.forEach(({ target }, number) => {
    if (wide[number]) target.tabIndex = 0
    else target.removeAttribute("tabindex")
  })
})
const look = () => document.querySelectorAll(".formula, .drawing, .output, pre, .pst-scrollable-table-container").forEach((box) => {
  boxes.unobserve(box)
  boxes.observe(box)
})
look()
document.fonts.addEventListener("loadingdone", look)  // the same box holds wider letters
