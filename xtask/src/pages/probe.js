// What is asked of a page from outside. Each function gives its findings as a list of sentences.

const shown = () => document.body.innerText.replace(/\s+/g, "");

/** Rules of WCAG 2, A and AA, and of good practice. */
const accessibility = (rules = {}) => {
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  return violated({ runOnly: { type: "tag", values: tags }, rules });
};

/** All that a width changes: colours stay as they are. */
const layout = () => accessibility({ "color-contrast": { enabled: false } });

const contrast = () => violated({ runOnly: { type: "rule", values: ["color-contrast"] } });

const violated = async (options) => {
  const { violations } = await axe.run(document, { ...options, resultTypes: ["violations"] });
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.length} × such as ${nodes[0].html.slice(0, 200)}`);
};

/** Whatever makes the page itself scroll sideways. */
const overflow = () => {
  const width = document.documentElement.clientWidth;
  const over = document.documentElement.scrollWidth - width;
  if (over <= 0) return [];
  const wide = [...document.querySelectorAll("body *")].filter((part) => part.getBoundingClientRect().right > width);
  return [`the page is ${over} px wider than ${width} px, such as by ${wide.at(-1)?.outerHTML.slice(0, 160)}`];
};

const cellText = (row, at) => {
  const copy = row.cells[at].cloneNode(true);
  copy.querySelectorAll(".below").forEach((part) => part.remove());
  return copy.textContent.trim();
};

/** Every head of every table is pressed three times, and each order is looked at. */
const sorting = () => {
  const found = [];
  const words = new Intl.Collator(document.documentElement.lang, { numeric: true });
  let pressed = 0;
  for (const table of document.querySelectorAll("table")) {
    const rows = () => [...table.tBodies[0].rows];
    const original = rows();
    [...table.tHead.rows[0].cells].forEach((head, at) => {
      const button = head.querySelector("button");
      if (!button) {
        if (original.length > 1) found.push(`${table.caption.textContent}: ${head.textContent} has no button`);
        return;
      }
      const say = (what) => found.push(`${table.caption.textContent}: ${head.textContent}: ${what}`);
      const figures = head.classList.contains("figure");
      for (const direction of ["ascending", "descending"]) {
        button.click();
        pressed += 1;
        if (head.getAttribute("aria-sort") !== direction) say(`is not ${direction}`);
        if (table.querySelectorAll("[aria-sort]").length !== 1) say("is not the only sorted head");
        const texts = rows().map((row) => cellText(row, at));
        const nothing = (text) => (figures ? !/\d/.test(text) : text === "" || text === "—");
        const told = texts.filter((text) => !nothing(text));
        if (texts.slice(0, told.length).some(nothing)) say(`what says nothing is not last, ${direction}: ${texts}`);
        const up = direction === "ascending" ? 1 : -1;
        const number = (text) => parseFloat(text.replace(/^[^\d]*/, "").replace(/(\d),(?=\d{3})/g, "$1"));
        for (let next = 1; next < told.length; next += 1) {
          const [a, b] = [told[next - 1], told[next]];
          if ((figures ? number(a) - number(b) : words.compare(a, b)) * up > 0) say(`${a} stands before ${b}, ${direction}`);
        }
      }
      button.click();
      if (head.hasAttribute("aria-sort")) say("does not go back to the order of the report");
      if (rows().some((row, place) => row !== original[place])) say("loses the order of the report");
    });
  }
  if (pressed === 0) found.push("no table can be sorted");
  return found;
};

/** The middle of the first head that can be pressed, once it is in view. */
const firstHead = () => {
  const button = document.querySelector("thead button");
  if (!button) return null;
  button.scrollIntoView({ block: "center", behavior: "instant" });
  const box = button.getBoundingClientRect();
  return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
};

const firstOrder = () => document.querySelector("thead button")?.closest("th").getAttribute("aria-sort") ?? "none";
const inHead = () => document.activeElement?.matches("thead button") ?? false;
const orderInFocus = () => document.activeElement.closest("th").getAttribute("aria-sort") ?? "none";
const tipText = () => document.querySelector(".tip")?.textContent ?? "";

/** The words beside a mark of a chart, as soon as there are any; none after a while. */
const tipWords = () =>
  new Promise((resolve) => {
    const tell = () => tipText() !== "" && resolve(tipText());
    const tip = document.querySelector(".tip");
    if (tip) new MutationObserver(tell).observe(tip, { childList: true, characterData: true, subtree: true });
    tell();
    setTimeout(() => resolve(""), tip ? 10_000 : 0);
  });

const marks = (drawing) => [...drawing.querySelectorAll("svg * > desc")].map((text) => text.parentNode);

/** A chart may have no value to tell, but not all of a page. */
const silentCharts = () => {
  const charts = [...document.querySelectorAll("figure")];
  return charts.length > 0 && charts.every((chart) => marks(chart).length === 0) ? ["none tells a value"] : [];
};

/** The middle of the first value of a chart, once it is in view and its chart in focus. */
const firstMark = () => {
  const drawing = [...document.querySelectorAll(".drawing")].find((each) => marks(each).length > 0);
  if (!drawing) return null;
  drawing.focus();
  const [mark] = marks(drawing);
  mark.scrollIntoView({ block: "center", behavior: "instant" });
  const box = mark.getBoundingClientRect();
  return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
};
