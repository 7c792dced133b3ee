// A guess before the answer: <div class="moved guess" data-guess='{"name", "answered"}'>, and at the place that
// answers it <div class="moved paid" data-of="name" data-right="an option">, which then says what was guessed.
// `element` is that of interactive.js.
{ // a block, for all scripts of a page share one global scope
const guesses = {}

// The place that answers says before its own sentence what this reader had guessed.
const settle = (place) => {
  const guessed = guesses[place.dataset.of]
  place.querySelector("p.own")?.remove()
  if (!guessed) return
  const own = document.createElement("p")
  own.className = "own"
  own.textContent = guessed === place.dataset.right ? `You guessed “${guessed}”, and so it is.` : `You guessed “${guessed}”. It is “${place.dataset.right}”.`
  place.prepend(own)
}

// The page has the options as text that looks like buttons, so nothing moves when they become buttons.
const build = (place) => {
  const { name, answered } = JSON.parse(place.dataset.guess)
  const choices = place.querySelector(".choices"), status = place.querySelector("[role=status]")
  const choose = (pressed) => {
    const option = guesses[name] = pressed.textContent
    ;[...choices.children].forEach((button) => button.setAttribute("aria-pressed", button === pressed))
    status.textContent = `You say “${option}”. ${answered}`
    document.querySelectorAll(`.paid[data-of="${name}"]`).forEach(settle)
  }
  choices.querySelectorAll("span").forEach((option) => {
    const button = element(choices, "button", { type: "button", "aria-pressed": "false" }, option.textContent)
    button.addEventListener("click", () => choose(button))
    option.replaceWith(button)
  })
}

addEventListener("DOMContentLoaded", () => document.querySelectorAll("div.moved.guess").forEach(build))
}
