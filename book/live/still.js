/* As much of a page as the figures need to be drawn without a browser: elements with attributes, and their html. */
const reflected = ["id", "type", "tabIndex", "hidden", "disabled", "checked", "open", "value"];
const empty = ["input", "path", "rect", "line", "circle"];
const escaped = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");

class Still {
  constructor(tag) {
    Object.assign(this, { tag, tagName: tag.toUpperCase(), attributes: new Map(), nodes: [], dataset: {}, parentNode: null });
    this.style = { setProperty: (name, value) => this.attributes.set("style", `${this.attributes.get("style") ?? ""}${name}: ${value};`) };
    const list = () => (this.attributes.get("class") ?? "").split(" ").filter(Boolean), put = (names) => this.attributes.set("class", [...new Set(names)].join(" "));
    const toggle = (name, on = !list().includes(name)) => put(on ? [...list(), name] : list().filter((each) => each !== name));
    this.classList = { add: (...names) => put([...list(), ...names]), remove: (name) => toggle(name, false), toggle, contains: (name) => list().includes(name) };
  }

  setAttribute(name, value) { this.attributes.set(name, String(value)); }
  getAttribute(name) { return this.attributes.get(name) ?? null; }
  removeAttribute(name) { this.attributes.delete(name); }
  addEventListener() {}
  focus() {}
  contains() { return false; }
  scrollIntoView() {}
  getBoundingClientRect() { return { top: 0, left: 0, width: 0, height: 0 }; }
  getContext() { return { fillRect() {} }; }

  get children() { return this.nodes.filter((node) => node instanceof Still); }
  get firstChild() { return this.nodes[0] ?? null; }
  get lastChild() { return this.nodes.at(-1) ?? null; }
  get lastElementChild() { return this.children.at(-1) ?? null; }
  get textContent() { return this.nodes.map((node) => node.textContent ?? node).join(""); }
  set textContent(text) { this.replaceChildren(...(text === "" ? [] : [text])); }

  append(...nodes) { this.put(this.nodes.length, nodes); }
  prepend(...nodes) { this.put(0, nodes); }
  replaceChildren(...nodes) { this.nodes = []; this.append(...nodes); }
  after(...nodes) { this.parentNode.put(this.parentNode.nodes.indexOf(this) + 1, nodes); }
  remove() { if (this.parentNode) { this.parentNode.nodes = this.parentNode.nodes.filter((node) => node !== this); this.parentNode = null; } }
  put(at, nodes) {
    for (const node of nodes) if (node instanceof Still) { node.remove(); node.parentNode = this; }
    this.nodes.splice(at, 0, ...nodes.map((node) => (node instanceof Still ? node : String(node))));
  }

  /* Down the tree, by one tag or class: what the figures ask for. */
  querySelector(wanted) { return this.querySelectorAll(wanted)[0] ?? null; }
  querySelectorAll(wanted) {
    const fits = (node) => (wanted.startsWith(".") ? node.classList.contains(wanted.slice(1)) : node.tag === wanted);
    return this.children.flatMap((node) => [...(fits(node) ? [node] : []), ...node.querySelectorAll(wanted)]);
  }

  get outerHTML() {
    if (this.tag === "textarea") this.replaceChildren(this.value ?? "");
    if (this.tag === "select") this.querySelectorAll("option").forEach((each) => (String(each.getAttribute("value")) === String(this.value) ? each.setAttribute("selected", "") : each.removeAttribute("selected")));
    const shown = [...this.attributes].filter(([name]) => !(name === "value" && this.tag === "textarea") && !(name === "value" && this.tag === "select"));
    const opened = `<${this.tag}${shown.map(([name, value]) => ` ${name}="${escaped(value)}"`).join("")}>`;
    return empty.includes(this.tag) && !this.nodes.length ? (this.tag === "input" ? opened : `${opened.slice(0, -1)}/>`) : `${opened}${this.innerHTML}</${this.tag}>`;
  }
  get innerHTML() { return this.nodes.map((node) => node.outerHTML ?? escaped(node)).join(""); }
}
for (const name of reflected) {
  const attribute = name.toLowerCase(), isFlag = ["hidden", "disabled", "checked", "open"].includes(name);
  Object.defineProperty(Still.prototype, name, {
    get() { return isFlag ? this.attributes.has(attribute) : this.attributes.get(attribute); },
    set(value) { if (isFlag && !value) this.attributes.delete(attribute); else this.attributes.set(attribute, isFlag ? "" : String(value)); },
  });
}

const later = [];
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
Object.assign(globalThis, {
  document: { createElement: (tag) => new Still(tag), createElementNS: (_, tag) => new Still(tag), activeElement: null },
  location: { hash: "" },
  history: { replaceState() {} },
  addEventListener() {},
  matchMedia: () => ({ matches: true }), // what stands still
  getComputedStyle: () => ({ getPropertyValue: () => "" }),
  setTimeout: (task, _, ...given) => later.push(() => task(...given)),
  clearTimeout() {},
  URLSearchParams: class extends Map {}, // of an empty address
  atob(text) {
    let out = "", bits = 0, count = 0;
    for (const letter of text.replace(/=+$/, "")) {
      bits = ((bits << 6) | letters.indexOf(letter)) & 0xffff;
      count += 6;
      if (count >= 8) { count -= 8; out += String.fromCharCode((bits >> count) & 255); }
    }
    return out;
  },
  live: { data: {}, received: (name, data) => (live.data[name] = data) },
});

/* A figure as it stands before anything is pressed: what is put off is done, too. */
function drawn(dataset) {
  const place = new Still("div");
  Object.assign(place.dataset, dataset);
  new live[dataset.kind](place);
  for (let task; (task = later.shift()); ) task();
  return place.innerHTML;
}
