// A guess before the answer: <div class="moved guess" data-guess='{"name", "ask", "options", "answered"}'>, and at the place that
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

const build = (place) => {
  const { name, ask, options, answered } = JSON.parse(place.dataset.guess)
  place.replaceChildren()
  const question = element(place, "p", { id: `guess-${name}` })
  element(question, "strong", {}, "Guess first. ")
  question.append(ask)
  const buttons = element(place, "div", { class: "choices", role: "group", "aria-labelledby": `guess-${name}` })
  const status = element(place, "p", { role: "status" })
  const choose = (option, pressed) => {
    guesses[name] = option
    ;[...buttons.children].forEach((button) => button.setAttribute("aria-pressed", button === pressed))
    status.textContent = `You say “${option}”. ${answered}`
    document.querySelectorAll(`.paid[data-of="${name}"]`).forEach(settle)
  }
  options.forEach((option) => {
    const button = element(buttons, "button", { type: "button", "aria-pressed": "false" }, option)
    button.addEventListener("click", () => choose(option, button))
  })
}

addEventListener("DOMContentLoaded", () => document.querySelectorAll("div.moved.guess").forEach(build))
}
