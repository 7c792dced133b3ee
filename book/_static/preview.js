// What a link leads to, shown beside it: an entry of the glossary, a formula, a figure, a citation, the head of a section.
// By pointer or keyboard, closed by Escape; a phone, which cannot point, has none. What stands on other pages is in
// excerpts.js (book/_ext/excerpts.py), loaded as a script when it is first needed, so that pages on the disk have it too.
{
  const WAIT = { open: 300, close: 200 } // milliseconds
  const LINKS = "article.bd-article a[href*='#']:not(.headerlink, .onward a, .cards a, .starts a, [href$='#exercises'])"
  const FIRST = "h1, h2, h3, h4, p"
  let box, shownFor, waiting, excerpts

  const loaded = () => excerpts ??= new Promise((done) => {
    const src = `${document.documentElement.dataset.content_root ?? "./"}_static/excerpts.js`
    document.head.append(Object.assign(document.createElement("script"), { src, onload: () => done(window.EXCERPTS), onerror: () => done({}) }))
  })

  // A copy without names, addresses and what is for screen readers alone: they have the link itself.
  const copied = (element) => {
    const copy = element.cloneNode(true)
    copy.querySelectorAll("script, .katex-mathml, .headerlink, .cited, button, .chooser, annotation").forEach((each) => each.remove())
    for (const each of [copy, ...copy.querySelectorAll("*")]) ["id", "href", "tabindex", "name", "aria-labelledby"].forEach((name) => each.removeAttribute(name))
    return copy
  }
  const here = (id) => {
    let target = document.getElementById(id)
    if (target?.tagName === "SPAN") target = target.parentElement
    if (target?.tagName === "DT") return [target, [...target.parentElement.children].slice([...target.parentElement.children].indexOf(target)).find((each) => each.tagName === "DD")]
    if (target?.tagName === "SECTION") {
      const own = [...target.children].filter((each) => each.matches(FIRST))
      return [...own.slice(0, 1), ...own.slice(1).filter((each) => each.tagName === "P").slice(0, 1)]
    }
    return target?.matches("figure, table, div.math") ? [target] : []
  }

  const content = async (link) => {
    const note = link.nextElementSibling
    if (note?.matches(".cited")) return getComputedStyle(note).display === "none" ? note.textContent : ""
    const [page, id] = [link.pathname.split("/").pop(), decodeURIComponent(link.hash.slice(1))]
    if (page === location.pathname.split("/").pop()) return here(id).filter(Boolean).map((each) => copied(each).outerHTML).join("")
    return (await loaded())[`${page}#${id}`] ?? ""
  }

  const close = () => {
    clearTimeout(waiting)
    box?.remove()
    shownFor?.removeAttribute("aria-describedby")
    box = shownFor = undefined
  }
  const open = async (link) => {
    const inner = await content(link)
    if (!inner || !link.isConnected || !link.matches(":hover, :focus")) return
    close()
    box = Object.assign(document.createElement("div"), { className: "preview", id: "preview", innerHTML: inner })
    box.setAttribute("role", "tooltip")
    document.body.append(box)
    shownFor = link
    link.setAttribute("aria-describedby", "preview")
    const [at] = link.getClientRects(), room = document.documentElement.clientWidth
    const above = at.bottom + box.offsetHeight + 12 > innerHeight && at.top > box.offsetHeight + 12
    box.style.left = `${scrollX + Math.max(8, Math.min(at.left, room - box.offsetWidth - 8))}px`
    box.style.top = `${scrollY + (above ? at.top - box.offsetHeight - 6 : at.bottom + 6)}px`
    box.addEventListener("pointerenter", () => clearTimeout(waiting))
    box.addEventListener("pointerleave", later)
  }
  const later = () => { clearTimeout(waiting); waiting = setTimeout(close, WAIT.close) }
  const soon = (link) => { clearTimeout(waiting); if (link !== shownFor) waiting = setTimeout(open, WAIT.open, link) }

  if (matchMedia("(hover: hover)").matches) {
    document.addEventListener("pointerover", ({ target }) => { const link = target.closest?.(LINKS); if (link) soon(link) })
    document.addEventListener("pointerout", ({ target }) => { if (target.closest?.(LINKS)) later() })
    document.addEventListener("focusin", ({ target }) => { if (target.matches(LINKS) && target.matches(":focus-visible")) soon(target) })
    document.addEventListener("focusout", ({ target }) => { if (target.matches?.(LINKS)) later() })
    document.addEventListener("keydown", ({ key }) => { if (key === "Escape") close() })
  }
}
