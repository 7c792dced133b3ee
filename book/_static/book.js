// What scrolls sideways on a narrow screen can be reached, and so scrolled, with the keyboard.
const reach = () => document.querySelectorAll(".formula, .drawing, .cell_output .output, .highlight pre").forEach((box) => {
  if (box.scrollWidth > box.clientWidth) box.tabIndex = 0
  else box.removeAttribute("tabindex")
})
addEventListener("load", reach)
addEventListener("resize", reach)
