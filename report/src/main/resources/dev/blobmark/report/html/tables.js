// Tables: sorted by a click on a head, copied as Markdown or CSV.
((blobmark) => {
  "use strict";

  const { element, save, copy, number } = blobmark;

  const ROWS_SHOWN = 200;

  const isNumber = (cell) => typeof cell === "number";
  const text = (cell) => (isNumber(cell) ? number(cell) : (cell ?? ""));

  const UNITS = { KB: 1024, MB: 1048576, GB: 1073741824 };

  /** The number at the beginning of a written figure; bytes of a size. */
  const leading = (cell, isFigure) => {
    const match = (isFigure ? /^[<>~]?\s*(-?[\d,]+(?:\.\d+)?)()/ : /^(\d+(?:\.\d+)?) ?(KB|MB|GB)?$/).exec(cell);
    return match ? Number(match[1].replaceAll(",", "")) * (UNITS[match[2]] ?? 1) : undefined;
  };

  function markdown({ columns, rows }) {
    const escape = (cell) => String(text(cell)).replace(/[\\|*_`~<>[\]]/g, "\\$&").replace(/\s+/g, " ");
    const line = (cells) => `| ${cells.join(" | ")} |`;
    const rule = columns.map((_, i) => (rows.some((row) => isNumber(row[i])) ? "---:" : ":---"));
    return [line(columns.map(escape)), line(rule), ...rows.map((row) => line(row.map(escape)))].join("\n") + "\n";
  }

  function csv({ columns, rows }) {
    const quote = (cell) => {
      const plain = cell === null || cell === undefined ? "" : String(cell);
      return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
    };
    return [columns, ...rows].map((row) => row.map(quote).join(",")).join("\n") + "\n";
  }

  /** A table of rows of texts and numbers. */
  function table(name, { columns, rows }) {
    const isFigure = columns.map((_, i) => rows.some((row) => isNumber(row[i])));
    const line = (row) =>
      element("tr", {}, ...row.map((cell, i) => element(i === 0 ? "th" : "td", { scope: i === 0 ? "row" : undefined, class: isFigure[i] ? "number" : undefined, text: text(cell) })));
    const heads = columns.map((column, i) => element("th", { scope: "col", class: isFigure[i] ? "number" : undefined, text: column }));
    const place = element(
      "div",
      { class: "table" },
      element(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": name },
        element("table", {}, element("caption", { class: "hidden", text: name }), element("thead", {}, element("tr", {}, ...heads)), element("tbody")),
      ),
    );
    tools(place, name, columns, rows, line)();
    return place;
  }

  /** Adds to a table of the report what needs a script; to a folded one when it is unfolded. */
  function enhance(place) {
    const fold = place.closest("details:not([open])");
    if (fold) {
      fold.addEventListener("toggle", () => enhance(place), { once: true });
      return;
    }
    const lines = [...place.querySelectorAll("tbody tr")];
    const plain = (cell) => [...cell.childNodes].filter((node) => !node.classList?.contains("sign")).map((node) => node.textContent).join("").trim();
    const rows = lines.map((line) => [...line.cells].map(plain));
    const byRow = new Map(rows.map((row, i) => [row, lines[i]]));
    tools(place, place.querySelector("caption").textContent, [...place.querySelectorAll("thead th")].map((head) => head.textContent), rows, (row) => byRow.get(row));
  }

  /** Adds buttons. @param line makes or finds the element of a row @return shows the rows */
  function tools(place, name, columns, rows, line) {
    const heads = [...place.querySelectorAll("thead th")];
    const isFigure = heads.map((head) => head.classList.contains("number"));
    const body = place.querySelector("tbody");
    const order = { column: undefined, isRising: true };
    let shown = ROWS_SHOWN;
    const more = element("button", { type: "button", onclick: () => ((shown = Infinity), fill()) });
    heads.forEach((head, i) => {
      const button = element("button", { type: "button", text: columns[i], onclick: () => sort(i) });
      head.replaceChildren(button);
    });

    function sorted() {
      if (order.column === undefined) {
        return { columns, rows };
      }
      const key = (row) => {
        const cell = row[order.column];
        return isNumber(cell) ? cell : (leading(String(cell ?? ""), isFigure[order.column]) ?? cell ?? "");
      };
      const compare = (a, b) => {
        const [x, y] = [key(a), key(b)];
        const by = isNumber(x) && isNumber(y) ? x - y : String(x).localeCompare(String(y), "en", { numeric: true });
        return order.isRising ? by : -by;
      };
      return { columns, rows: [...rows].sort(compare) };
    }

    function sort(column) {
      order.isRising = order.column === column ? !order.isRising : !isFigure[column];
      order.column = column;
      heads.forEach((head, i) =>
        i === column ? head.setAttribute("aria-sort", order.isRising ? "ascending" : "descending") : head.removeAttribute("aria-sort"),
      );
      fill();
    }

    function fill() {
      body.replaceChildren(...sorted().rows.slice(0, shown).map(line));
      more.hidden = rows.length <= shown;
      more.textContent = `Show all ${rows.length} rows`;
    }

    more.hidden = true;
    place.append(
      more,
      element(
        "p",
        { class: "tools" },
        element("button", { type: "button", text: "Copy as Markdown", onclick: (event) => copy(markdown(sorted()), event.target) }),
        element("button", { type: "button", text: "Copy as CSV", onclick: (event) => copy(csv(sorted()), event.target) }),
        element("button", { type: "button", text: "Save CSV", onclick: () => save(`${name}.csv`, csv(sorted()), "text/csv") }),
      ),
    );
    return fill;
  }

  Object.assign(blobmark, { table, enhance, csv });
})((globalThis.blobmark ??= {}));
