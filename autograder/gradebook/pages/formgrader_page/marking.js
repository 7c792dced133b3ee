// Beside each answer in words: the rubric's items to be clicked, with points that can be changed for all who have them.
// Beside each part for which a regrade was asked: the student's note, and a place for the answer.
(() => {
  const url = `${base_url}/api/marking/${submission_id}`;
  const make = (tag, about = {}, ...inside) => {
    const element = Object.assign(document.createElement(tag), about);
    element.append(...inside);
    return element;
  };
  const ask = body => fetch(url, body && {
    method: "PUT", keepalive: true, body: JSON.stringify(body), headers: { "X-CSRFToken": getCookie("_xsrf") },
  }).then(answer => {
    if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
    return answer.json();
  });

  function save(body, status) {
    status.textContent = "saving …";
    return ask(body).then(about => {
      draw(about);
      formgrader.grades.findWhere({ name: body.question }).fetch();
      const panel = document.querySelector(`[data-rubric="${body.question}"] [role="status"]`);
      panel.textContent = about.typed ? `saved; ${about.typed} with points typed by hand keep them` : "saved";
    }).catch(error => { status.textContent = `not saved: ${error.message}`; });
  }

  function row(question, item, chosen, others, status) {
    const box = make("input", { type: "checkbox", checked: chosen.has(item.id) });
    box.onchange = () => {
      box.checked ? chosen.add(item.id) : chosen.delete(item.id);
      save({ question, chosen: [...chosen], equal: others.checked }, status);
    };
    const points = make("input", { type: "number", step: 0.5, value: item.points, title: "points, for all who have it" });
    points.onchange = () => save({ question, id: item.id, text: item.text, points: +points.value }, status);
    const edit = make("button", { type: "button", textContent: "✎", title: "change the text, for all; empty: remove it" });
    edit.onclick = () => {
      const text = prompt("The item's text, for all students who have it. Leave it empty to remove the item.", item.text);
      if (text !== null) save({ question, id: item.id, text, points: item.points }, status);
    };
    return make("li", {}, points, make("label", {}, box, ` ${item.text}`), edit);
  }

  function panel(question, about) {
    const status = make("span", { role: "status" });
    const others = make("input", { type: "checkbox", checked: about.equal > 0 });
    const chosen = new Set(about.chosen);
    const list = make("ul", {}, ...about.items.map(item => row(question, item, chosen, others, status)));
    const text = make("input", { type: "text", placeholder: "another item" });
    const points = make("input", { type: "number", step: 0.5, value: 1, title: "points" });
    const added = make("form", {}, points, text, make("button", { textContent: "Add" }));
    added.onsubmit = event => {
      event.preventDefault();
      if (text.value.trim()) save({ question, text: text.value, points: +points.value }, status);
    };
    const end = make("p");
    if (about.equal) end.append(make("label", {}, others, ` also for ${about.equal} equal answer${about.equal > 1 ? "s" : ""} `));
    if (about.next) end.append(make("a", { href: `${base_url}/submissions/${about.next}/#${question}`, textContent: "Next waiting answer" }), " ");
    end.append(status);
    const made = make("fieldset", { className: "rubric" }, make("legend", { textContent: "Rubric" }), list, added, end);
    made.dataset.rubric = question;
    return made;
  }

  function asked(request) {
    const status = make("span", { role: "status" });
    const answer = make("textarea", { value: request.answer, placeholder: "your answer, for the feedback page (Markdown); it saves itself" });
    let waits;
    const send = () => {
      clearTimeout(waits);
      const typed = answer.value;
      status.textContent = "saving …";
      return ask({ request: request.id, answer: typed })
        .then(() => { if (answer.value === typed) status.textContent = "saved"; })
        .catch(error => { status.textContent = `not saved: ${error.message}`; });
    };
    answer.oninput = () => {
      status.textContent = "";
      clearTimeout(waits);
      waits = setTimeout(send, 1000);
    };
    answer.onchange = send;  // the box is left, as for another page
    answer.setAttribute("aria-label", `answer to the request about ${request.part}`);
    return make("fieldset", { className: "rubric request" }, make("legend", { textContent: `Regrade request: ${request.part}` }),
      make("blockquote", { textContent: request.note }), answer, status);
  }

  function drawRequests({ requests }) {
    for (const request of requests) {
      const box = document.getElementById(`check-${request.part}`) ?? document.getElementById(request.part);
      const cell = box?.closest(".nbgrader_cell")?.querySelector(".panel-body");
      cell ? cell.after(asked(request)) : document.getElementById("notebook-container").prepend(asked(request));
    }
  }

  function draw({ questions }) {
    for (const [question, about] of Object.entries(questions)) {
      const cell = document.getElementById(question)?.closest(".nbgrader_cell");
      if (!cell) continue;
      cell.querySelector("[data-rubric]")?.remove();
      cell.querySelector(".panel-body").after(panel(question, about));
    }
  }

  document.head.append(make("style", { textContent: `
    .rubric { margin: 0 15px 10px; } .rubric legend { font-size: 1.1em; margin-bottom: 4px; }
    .rubric ul { list-style: none; padding: 0; } .rubric li { display: flex; gap: 8px; align-items: baseline; }
    .rubric label { font-weight: normal; margin: 0; flex: 1; } .rubric [type=number] { width: 4.5em; }
    .rubric textarea { width: 100%; } .rubric blockquote { font-size: 1em; white-space: pre-wrap; }
    .rubric form { display: flex; gap: 8px; margin: 6px 0; } .rubric [type=text] { flex: 1; }
    .score { scroll-margin-top: 80px; }` }));
  ask().then(about => { draw(about); drawRequests(about); })
    .catch(error => document.querySelector("#statusmessage").append(`The rubrics cannot be read: ${error.message}`));
})();
