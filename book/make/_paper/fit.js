// The name of a row stays on one line where there is room. What is still wider than the paper is drawn smaller, a table
// when its cells have broken into lines; a formula keeps its number beside it. A picture may be taller than most where its
// letters would be too small. What leaves no more than a third of a page empty, 340 pixels, stays whole.
() => {
const room = box => box.parentElement.closest("div, section, article").clientWidth
const needed = box => Math.max(box.scrollWidth, box.offsetWidth)
document.querySelectorAll(".output:has(table.results)").forEach(box => {
  box.classList.add("named")
  if (needed(box) > room(box) + 1) box.classList.remove("named")
  box.classList.toggle("wrapped", needed(box) > room(box) + 1)
})
document.querySelectorAll(".formula, table, .output").forEach(box => {
  if (needed(box) > room(box) + 1) box.style.zoom = Math.max(0.3, room(box) / needed(box) * 0.98)
})
document.querySelectorAll(":is(.drawing, .output) > svg").forEach(picture => {
  const { width, height } = picture.viewBox.baseVal
  const whole = picture.style.getPropertyValue("--w") * height / width
  if (whole > 420) picture.style.maxHeight = `${0.75 * whole}px`
})
document.querySelectorAll(":is(pre, table, [class*=highlight], .cell_input, .cell_output, .output)").forEach(box => {
  box.style.breakInside = box.getBoundingClientRect().height < 340 ? "avoid" : "auto"
}) }
