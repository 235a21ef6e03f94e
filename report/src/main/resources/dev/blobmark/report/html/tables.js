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

  /**
   * @param content columns, rows of texts and numbers, and which columns are written figures
   * @param isMarked whether a row is highlighted
   */
  function table(name, content, isMarked = () => false) {
    const isFigure = content.columns.map((_, i) => content.figures?.[i] ?? content.rows.some((row) => isNumber(row[i])));
    const order = { column: undefined, isRising: true };
    const body = element("tbody");
    const heads = content.columns.map((column, i) => {
      const button = element("button", { type: "button", text: column, onclick: () => sort(i) });
      return element("th", { scope: "col", class: isFigure[i] ? "number" : "" }, button);
    });
    let shown = ROWS_SHOWN;
    const more = element("button", { type: "button", onclick: () => ((shown = Infinity), fill()) });
    const tools = element(
      "p",
      { class: "tools" },
      element("button", { type: "button", text: "Copy as Markdown", onclick: (event) => copy(markdown(sorted()), event.target) }),
      element("button", { type: "button", text: "Copy as CSV", onclick: (event) => copy(csv(sorted()), event.target) }),
      element("button", { type: "button", text: "Save CSV", onclick: () => save(`${name}.csv`, csv(sorted()), "text/csv") }),
    );

    function sorted() {
      const rows = [...content.rows];
      if (order.column !== undefined) {
        const key = (row) => {
          const cell = row[order.column];
          return isNumber(cell) ? cell : (leading(String(cell ?? ""), isFigure[order.column]) ?? cell ?? "");
        };
        rows.sort((a, b) => {
          const [x, y] = [key(a), key(b)];
          const by = isNumber(x) && isNumber(y) ? x - y : String(x).localeCompare(String(y), "en", { numeric: true });
          return order.isRising ? by : -by;
        });
      }
      return { columns: content.columns, rows };
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
      const { rows } = sorted();
      body.replaceChildren(
        ...rows.slice(0, shown).map((row) =>
          element(
            "tr",
            { class: isMarked(row) ? "marked" : "" },
            ...row.map((cell, i) => element(i === 0 ? "th" : "td", { scope: i === 0 ? "row" : undefined, class: isFigure[i] ? "number" : "", text: text(cell) })),
          ),
        ),
      );
      more.hidden = rows.length <= shown;
      more.textContent = `Show all ${rows.length} rows`;
    }

    fill();
    return element(
      "div",
      { class: `table ${name}` },
      element(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": name },
        element("table", {}, element("caption", { class: "hidden", text: name }), element("thead", {}, element("tr", {}, ...heads)), body),
      ),
      more,
      tools,
    );
  }

  Object.assign(blobmark, { table, markdown, csv });
})((globalThis.blobmark ??= {}));
