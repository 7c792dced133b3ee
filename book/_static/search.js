// The search: results while one types, also with a wrong letter, each quoted. MiniSearch looks through the sections that
// book/_ext/excerpts.py has written; both are loaded as scripts when somebody begins, so that pages on the disk can.
{
  const MOST = { page: 60, dialog: 7 }
  const SHOWN = 230 // letters of a quotation
  const IDLE = 60 // milliseconds after a key
  const COMMON = new Set("a an and are as at be by do for from has how in is it its not of on or that the this to versus vs was what when which why with".split(" "))
  // The same for the words of a page and for those that are typed: no case, no accents, no plural.
  const word = (written) => {
    const plain = written.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "")
    return COMMON.has(plain) ? null : plain.replace(/(?<=[^s]{3})s$/, "")
  }
  const root = (document.documentElement.dataset.content_root ?? "./").replace("./", "")
  const loaded = (name) => new Promise((done, failed) => {
    const script = Object.assign(document.createElement("script"), { src: `${root}_static/${name}`, onload: done, onerror: failed })
    document.head.append(script)
  })

  let ready
  const index = () => ready ??= Promise.all([loaded("minisearch.js"), loaded("sections.js")]).then(() => {
    const search = new MiniSearch({ fields: ["terms", "title", "page", "text"], processTerm: word })
    search.addAll(SECTIONS.map(([, page, title, text, terms], id) => ({ id, page, title, text, terms })))
    return search
  })

  const FOUND = { prefix: (term) => term.length > 2, fuzzy: (term) => (term.length > 3 ? 0.2 : false), boost: { terms: 6, title: 4, page: 2 } }
  const found = (search, query) => {
    const asked = query.trim().toLowerCase()
    const named = (id) => { // the section that treats a term comes first, then what is called so
      const [, , title, , terms] = SECTIONS[id]
      return terms.toLowerCase().split(", ").includes(asked) ? 20 : title.toLowerCase() === asked ? 5 : 1
    }
    const all = search.search(query, { ...FOUND, boostDocument: named, combineWith: "AND" })
    return all.length ? all : search.search(query, { ...FOUND, boostDocument: named })
  }

  const element = (name, text = "", attributes = {}) => Object.assign(document.createElement(name), { textContent: text, ...attributes })
  // A piece of the text around the first word that was found, with all of those words marked.
  const quotation = (text, terms) => {
    const marked = new Set(terms), words = [...text.matchAll(/[\p{L}\p{N}]+/gu)]
    const first = words.find((each) => marked.has(word(each[0])))?.index ?? 0
    const start = first < SHOWN / 3 ? 0 : text.indexOf(" ", first - SHOWN / 3) + 1
    const end = start + SHOWN < text.length ? text.lastIndexOf(" ", start + SHOWN) : text.length
    const line = element("p", "", { className: "context" })
    let at = start
    if (start) line.append("… ")
    words.filter((each) => each.index >= start && each.index + each[0].length <= end && marked.has(word(each[0]))).forEach((each) => {
      line.append(text.slice(at, each.index), element("mark", each[0]))
      at = each.index + each[0].length
    })
    line.append(text.slice(at, end), end < text.length ? " …" : "")
    return line
  }
  const item = ({ id, terms }) => {
    const [address, page, title, text] = SECTIONS[id]
    const made = element("li"), link = element("a", title === page ? page : `${page} > ${title}`, { href: root + address })
    made.append(link, quotation(text, terms))
    return made
  }

  // Where nothing is found: words of the book that are near, and the pages that list its words.
  const LISTS = [["glossary.html", "Glossary"], ["functions.html", "Functions"], ["at_a_glance.html", "Attentions at a glance"]]
  const offered = (search, query, ask) => {
    const near = query.split(/\s+/).flatMap((each) => search.autoSuggest(each, { fuzzy: 0.4 }).flatMap(({ suggestion }) => suggestion.split(" ")))
    const lists = LISTS.filter(([page]) => SECTIONS.some(([address]) => address.startsWith(page)))
    const line = (name, all) => { const made = element("li", name, { className: "offered" }); all.forEach((each) => made.append(" ", each)); return all.length ? [made] : [] }
    return [
      ...line("Near it:", [...new Set(near)].slice(0, 5).map((each) => element("button", each, { type: "button", onclick: () => ask(each) }))),
      ...line("To look through:", lists.map(([page, name]) => element("a", name, { href: root + page }))),
    ]
  }

  // Shows what is found of a field's words in a place, and goes through it with the arrow keys.
  const attach = (field, place, most) => {
    const status = element("p", "", { className: "search-summary" }), list = element("ul", "", { className: "search" })
    status.setAttribute("role", "status")
    place.replaceChildren(status, list)
    let waiting
    const show = async () => {
      const query = field.value
      if (!query.trim()) return (status.textContent = "", list.replaceChildren())
      const search = await index().catch(() => null), results = search && found(search, query)
      if (query !== field.value) return
      const count = results?.length ?? 0, ask = (word) => { field.value = word; field.focus(); show() }
      const isNothing = results && !count, isBegun = query.trim().length > 2 // two letters are no word yet
      list.replaceChildren(...(isNothing && isBegun ? offered(search, query, ask) : (results ?? []).slice(0, most).map(item)))
      status.textContent = !results ? "The list of what can be found could not be loaded."
        : count > most ? `${count} places found; the best ${most}:` : count ? `${count} place${count === 1 ? "" : "s"} found` : isBegun ? "No place has such words." : ""
    }
    field.addEventListener("focus", index, { once: true })
    field.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(show, IDLE) })
    const within = [field.form ?? field, place]
    within.forEach((each) => each.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
      if (!step) return
      const stops = [field, ...list.querySelectorAll("a, button")]
      stops[Math.max(0, Math.min(stops.length - 1, stops.indexOf(document.activeElement) + step))].focus()
      event.preventDefault()
    }))
    return show
  }

  document.addEventListener("DOMContentLoaded", () => {
    const own = document.querySelector("#search-results")
    if (own) {
      const field = document.querySelector(".bd-search-container input[name=q]")
      const show = attach(field, own, MOST.page)
      field.form.addEventListener("submit", (event) => { event.preventDefault(); show() })
      field.value = new URLSearchParams(location.search).get("q") ?? ""
      if (typeof Search !== "undefined") Search.init = Search.performSearch = () => {} // Sphinx's own search stays away
      show()
      return
    }
    document.querySelectorAll("dialog .bd-search input[name=q], .search-button__search-container .bd-search input[name=q]").forEach((field) => {
      const place = element("div", "", { className: "search-found" })
      field.form.after(place)
      attach(field, place, MOST.dialog)
    })
  })
}
