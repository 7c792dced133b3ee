// Results of the search name the section that they lead to and quote it without LaTeX. Sphinx's own search shows an
// entry of the index under the title of its page, and quotes also what a formula holds for screen readers.
{
  // Formulas that stand alone, what a formula holds twice, and what only paper shows.
  const NOT_QUOTED = "script, style, svg, .headerlink, .section-number, div.math, .katex-html, annotation, #jb-print-docs-body"

  const quoted = (page, anchor) => {
    const main = new DOMParser().parseFromString(page, "text/html").querySelector("[role=main]")
    if (!main) return ""
    main.querySelectorAll(NOT_QUOTED).forEach((element) => element.remove())
    const place = (anchor && main.querySelector(anchor)) || main
    if (place.tagName !== "DT") return place.textContent
    let meaning = place // an entry of the glossary: what stands behind its terms
    while (meaning && meaning.tagName === "DT") meaning = meaning.nextElementSibling
    return meaning ? meaning.textContent : place.textContent
  }

  const withSections = (results) => {
    const index = Search._index, sections = {}
    for (const [title, places] of Object.entries(index.alltitles))
      for (const [page, id] of places) if (id) sections[`${index.docnames[page]}#${id}`] = title
    const led = new Set()
    return results.reverse().flatMap(([page, title, anchor, ...rest]) => { // the best one is last, for Sphinx takes it first
      if (led.has(page + anchor)) return []
      led.add(page + anchor)
      const section = sections[page + anchor]
      return [[page, section && !title.includes(" > ") ? `${title} > ${section}` : title, anchor, ...rest]]
    }).reverse()
  }

  document.addEventListener("DOMContentLoaded", () => { // before Sphinx's own, which is loaded later
    if (typeof Search === "undefined") return
    const perform = Search._performSearch
    Search._performSearch = (...words) => withSections(perform(...words))
    Search.htmlToText = quoted
    if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false // pages cannot be fetched there
  })
}
