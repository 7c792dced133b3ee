// The number of the page where a link leads stands behind it; numbers of the print before are replaced.
pages => {
  document.querySelectorAll(".contents a:last-child").forEach(link => {
    link.textContent = pages[decodeURIComponent(link.hash.slice(1))] ?? "" })
  document.querySelectorAll('.chapter a[href^="#"]:has(> .std-ref, > .std-doc)').forEach(link => {
    const to = pages[decodeURIComponent(link.hash.slice(1))]
    if (!to) return
    if (!link.querySelector(".on-page")) {
      link.append(document.createElement("span"))
      link.lastChild.className = "on-page"
    }
    link.lastChild.textContent = `\u00a0p.\u00a0${to}` })
}
