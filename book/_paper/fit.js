// What is still wider than the paper is drawn smaller; a formula keeps its number beside it. What leaves no more than
// a third of a page empty, 340 pixels, stays whole.
() => { document.querySelectorAll(".formula, table, .output").forEach(box => {
  const room = box.parentElement.closest("div, section, article").clientWidth
  const needed = Math.max(box.scrollWidth, box.offsetWidth)
  if (needed > room + 1) box.style.zoom = Math.max(0.3, room / needed * 0.98)
})
document.querySelectorAll(":is(pre, table, [class*=highlight], .cell_input, .cell_output, .output)").forEach(box => {
  box.style.breakInside = box.getBoundingClientRect().height < 340 ? "avoid" : "auto"
}) }
