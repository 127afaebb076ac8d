// Sorts tables by the head of a column, and tells the values of charts. The page is whole without it.

const language = document.documentElement.lang;

// Tables: one press sorts upwards, the next downwards, the third gives the order of the report again.

const words = new Intl.Collator(language, { numeric: true });
const UNITS = { "µs": 1e-6, ms: 1e-3, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };

/** What a cell says, without the small print below. */
function said(cell) {
  const parts = [...cell.childNodes].filter((part) => part.className !== "below");
  return parts.map((part) => part.textContent).join("").trim();
}

/** The first figure of a text in its basic unit, or null where there is none. */
function figure(text) {
  const found = /([-−]?)(\d+(?:\.\d+)?)\s*(\S*)/.exec(text.replace(/(\d),(?=\d{3})/g, "$1"));
  return found && Number(found[2]) * (found[1] ? -1 : 1) * (UNITS[found[3]] ?? 1);
}

/** Rows by a column; what says nothing comes last in either direction. */
function sorted(rows, at, figures, down) {
  const keyed = rows.map((row) => {
    const text = said(row.cells[at]);
    return { row, key: figures ? figure(text) : text === "—" || text === "" ? null : text };
  });
  const ahead = figures ? (a, b) => a - b : words.compare;
  keyed.sort(({ key: a }, { key: b }) => {
    if (a === null || b === null) return (a === null) - (b === null);
    return down ? ahead(b, a) : ahead(a, b);
  });
  return keyed.map(({ row }) => row);
}

function makeSortable(table) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const original = [...body.rows];
  if (original.length < 2) return;
  heads.forEach((head, at) => {
    const figures = head.classList.contains("figure");
    const button = document.createElement("button");
    button.type = "button";
    button.title = document.body.dataset.sort;
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const next = { ascending: "descending", descending: null }[head.ariaSort];
      const order = next === undefined ? "ascending" : next;
      for (const other of heads) other.removeAttribute("aria-sort");
      if (order) head.setAttribute("aria-sort", order);
      body.append(...(order ? sorted(original, at, figures, order === "descending") : original));
    });
  });
}

document.querySelectorAll("main table").forEach(makeSortable);

// Charts: the values that the drawing names, under the pointer and, with the arrow keys, under the keyboard.

const REACH = 24; // Farthest from a mark that still means it, in CSS pixels.
const tip = document.createElement("div");
tip.className = "tip";
tip.role = "status";
let lit = null;

function show(mark) {
  lit?.classList.remove("lit");
  lit = mark;
  tip.textContent = mark?.querySelector(":scope > desc").textContent ?? "";
  if (!mark) return;
  mark.classList.add("lit");
  mark.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  const box = mark.getBoundingClientRect();
  const left = Math.min(box.left + box.width / 2, innerWidth - tip.offsetWidth - 8);
  const above = box.top - tip.offsetHeight - 8;
  tip.style.left = `${Math.max(8, left)}px`;
  tip.style.top = `${above < 8 ? box.bottom + 8 : above}px`;
}

function distance(mark, x, y) {
  const box = mark.getBoundingClientRect();
  return Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));
}

function makeTelling(drawing) {
  // The browser's own hint would stand beside this one; as a description the text stays where it is.
  for (const title of drawing.querySelectorAll("title")) {
    const text = document.createElementNS("http://www.w3.org/2000/svg", "desc");
    text.id = title.id;
    text.append(...title.childNodes);
    title.replaceWith(text);
  }
  const marks = [...drawing.querySelectorAll("svg * > desc")].map((text) => text.parentNode);
  if (marks.length === 0) return;
  drawing.addEventListener("pointermove", ({ clientX: x, clientY: y }) => {
    const near = marks.map((mark) => ({ mark, away: distance(mark, x, y) })).filter(({ away }) => away <= REACH);
    near.sort((a, b) => a.away - b.away);
    if (near[0]?.mark !== lit) show(near[0]?.mark ?? null);
  });
  drawing.addEventListener("pointerleave", () => show(null));
  drawing.addEventListener("blur", () => show(null));
  drawing.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") show(null);
    if (!step) return;
    event.preventDefault();
    const at = marks.indexOf(lit);
    const next = at < 0 ? (step > 0 ? 0 : marks.length - 1) : at + step;
    show(marks[Math.min(Math.max(next, 0), marks.length - 1)]);
  });
}

document.body.append(tip);
document.querySelectorAll(".drawing").forEach(makeTelling);
