// The page: answer, explorer, claims and evidence, from the data that the report has packed into it.
((blobmark) => {
  "use strict";

  const { element, select, save, table, csv, explorer, metrics, open, look, address } = blobmark;

  const SECTIONS = [
    ["answer", "Answer"],
    ["explore", "Explore"],
    ["claims", "Claims"],
    ["evidence", "Evidence"],
  ];

  const THEMES = ["auto", "light", "dark"];

  async function unpacked(id) {
    const base64 = document.getElementById(id).textContent;
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  }

  /** Light or dark, as in the reader's system or as chosen here; print is light. */
  function themes() {
    const system = matchMedia("(prefers-color-scheme: dark)");
    const listeners = [];
    let chosen = "auto";
    let isPrinting = false;
    const tell = () => listeners.forEach((listener) => listener());
    system.addEventListener("change", tell);
    addEventListener("beforeprint", () => ((isPrinting = true), tell()));
    addEventListener("afterprint", () => ((isPrinting = false), tell()));
    return {
      look: (width) => look(!isPrinting && (chosen === "dark" || (chosen === "auto" && system.matches)), width),
      onChange: (listener) => listeners.push(listener),
      control: () =>
        select("colours", THEMES.map((theme) => [theme, theme]), chosen, (theme) => {
          chosen = theme;
          document.documentElement.dataset.theme = theme;
          tell();
        }),
    };
  }

  const section = (id, title, ...children) =>
    element("section", { id, tabindex: "-1", "aria-labelledby": `${id}-title` }, element("h2", { id: `${id}-title`, text: title }), ...children);

  const list = (className, items) => element("ul", { class: className }, ...items);

  const note = ({ mark, text, tone }) =>
    element("li", { class: tone.toLowerCase() }, element("span", { class: "mark", "aria-hidden": "true", text: mark }), text);

  const facts = (entries) =>
    element("dl", { class: "facts" }, ...Object.entries(entries).flatMap(([name, fact]) => [element("dt", { text: name }), element("dd", { text: fact })]));

  /** Turns columns of the report into a table. */
  const content = (columns) => ({
    columns: columns.map((column) => (column.unit ? `${column.head}, ${column.unit}` : column.head)),
    figures: columns.map((column) => column.is_number),
    rows: columns.length === 0 ? [] : columns[0].cells.map((_, row) => columns.map((column) => column.cells[row])),
  });

  /** A table behind the rankings. */
  const sideTable = ({ name, title, columns, reading }, index) => [
    element("h3", { text: title }),
    table(`${name} ${index + 1}`, content(columns)),
    element("p", { class: "caption", text: reading }),
  ];

  function rankingTable(run, index) {
    const [ranking, { table: columns }] = [run.report.rankings[index], run.parts[index]];
    const plain = (cell) => cell.replace(/^~ /, "");
    const isBest = (row) => plain(row[0]) === ranking.best || ranking.tied_with_best.includes(plain(row[0]));
    return table("ranking", content(columns), isBest);
  }

  /** The rankings of a run, one at a time. */
  function rankings(run) {
    const place = element("div");
    const choices = run.parts.map((each, i) => [String(i), each.name]);
    const first = run.report.rankings.findIndex((ranking) => ranking.best);

    function show(index) {
      const [ranking, part] = [run.report.rankings[index], run.parts[index]];
      place.replaceChildren(
        element("p", { class: "answer", text: ranking.answer }),
        ...(part.tiers ? [element("p", { class: "tiers", text: part.tiers })] : []),
        element("p", { class: "caption", text: part.caption.join("; ") }),
        rankingTable(run, index),
        list("notes", part.notes.map(note)),
      );
      if (part.gives_up.length > 0) {
        place.append(
          element("h3", { text: `What ${ranking.best} gives up` }),
          list("costs", part.gives_up.map((cost) => element("li", { text: cost }))),
        );
      }
    }

    if (choices.length === 0) {
      return [element("p", { text: "No trial has been measured yet." })];
    }
    show(Math.max(0, first));
    return [
      element("div", { class: "controls" }, select("under", choices, String(Math.max(0, first)), (index) => show(Number(index)))),
      place,
    ];
  }

  function answer(runs) {
    return section(
      "answer",
      "Answer",
      ...runs.flatMap((run) => [
        ...(runs.length > 1 ? [element("h3", { text: run.label })] : []),
        ...(run.warnings.length ? [list("notes warnings", run.warnings.map(note))] : []),
        ...rankings(run),
        ...run.tables.flatMap(sideTable),
        element("h3", { text: "Measured on" }),
        facts(run.facts),
        element("details", {}, element("summary", { text: "How to read the figures" }), element("p", { text: run.legend })),
      ]),
    );
  }

  function claims(runs) {
    const all = runs.flatMap((run) => run.claims.map((claim) => ({ run, claim })));
    if (all.length === 0) {
      return undefined;
    }
    const card = ({ run, claim }) => {
      const comparisons = {
        columns: ["comparison", "under", "measured", "ratio", "low", "high", "grade"],
        rows: claim.comparisons.map((each) => [each.sides, each.condition, each.figure, each.ratio, each.low ?? "", each.high ?? "", each.grade]),
      };
      return element(
        "article",
        { class: "claim" },
        element(
          "h3",
          {},
          element("span", { class: `grade ${claim.grade.replaceAll(" ", "-")}`, text: claim.grade }),
          " ",
          claim.id + (runs.length > 1 ? `, ${run.label}` : ""),
        ),
        element("p", { text: claim.says }),
        facts({
          Published: (claim.claimed.replace(/^claimed: /, "") || "a direction, no figure") + (claim.source ? `. ${claim.source}` : ""),
          Measured: claim.evidence || "nothing",
        }),
        claim.comparisons.length ? element("details", {}, element("summary", { text: claim.comparisons.length === 1 ? `The comparison of ${claim.metric}` : `All ${claim.comparisons.length} comparisons of ${claim.metric}` }), table(claim.id, comparisons)) : undefined,
      );
    };
    const untested = all.filter(({ claim }) => claim.grade === "not tested here");
    const tested = all.filter((each) => !untested.includes(each));
    const counts = new Map();
    all.forEach(({ claim }) => counts.set(claim.grade, (counts.get(claim.grade) ?? 0) + 1));
    return section(
      "claims",
      "Claims",
      element("p", { text: `What has been published, held against these samples: ${[...counts].map(([grade, n]) => `${n} ${grade}`).join(", ")}.` }),
      ...tested.map(card),
      untested.length
        ? element("details", { open: tested.length === 0 }, element("summary", { text: `${untested.length} not tested here, and why` }), ...untested.map(card))
        : undefined,
    );
  }

  /** Trials without a figure, and trials that were not steady, with the reasons. */
  function troubles(samples) {
    const columns = [...(samples.runs.length > 1 ? ["run"] : []), "method", "outcome", "reason", "flags", "events", "trial"];
    const cells = columns.map((column) => samples.column(column));
    const [outcomes, flags] = [samples.column("outcome"), samples.column("flags")];
    const places = ["run", "trial", "block", "fork", "round"].map((column) => samples.column(column));
    const found = new Map();
    for (let row = 0; row < samples.length; row++) {
      // a sample has a row for each operation and for each size of values, one after the other
      const isFirst = row === 0 || places.some((column) => column[row] !== column[row - 1]);
      if (isFirst && (outcomes[row] !== "measured" || flags[row])) {
        const key = cells.map((cell) => cell[row]).join("\u0001");
        found.set(key, [...cells.map((cell) => cell[row]), (found.get(key)?.at(-1) ?? 0) + 1]);
      }
    }
    return { columns: [...columns, "samples"], rows: [...found.values()] };
  }

  /** The space that the values of a store take. */
  const bytes = ({ content, disk, placement: { memory_bytes, parts } }) =>
    [
      `${content.application_bytes} of the application`,
      `${content.stored_bytes} stored`,
      `${disk.allocated_bytes ?? "unknown"} on disk`,
      ...(disk.used_bytes === null ? [] : [`${disk.used_bytes} of these in used pages`]),
      ...(memory_bytes === null ? [] : [`${memory_bytes} in memory`]),
      ...(parts ? [`${parts.memory_bytes} of these in parts of ${parts.part_bytes}, after ${parts.inline_bytes} inline`] : []),
    ].join(", ");

  function evidence(runs, samples) {
    const trouble = samples.names.includes("outcome") ? troubles(samples) : { rows: [] };
    const all = () => {
      const columns = samples.names.map((name) => samples.column(name));
      const rows = Array.from({ length: samples.length }, (_, row) => columns.map((column) => column[row]));
      return csv({ columns: samples.names, rows });
    };
    const about = (run) => {
      const manifest = run.manifest;
      const servers = Object.entries(manifest?.servers ?? {});
      return [
        ...(runs.length > 1 ? [element("h3", { text: run.label })] : []),
        ...servers.map(([name, server]) =>
          element(
            "details",
            {},
            element("summary", { text: `Variables of ${name}: ${server.product} ${server.version}` }),
            table(`variables of ${name}`, { columns: ["variable", "value"], rows: Object.entries(server.variables) }),
          ),
        ),
        ...servers
          .filter(([, server]) => Object.keys(server.cluster).length)
          .map(([name, server]) =>
            element(
              "details",
              {},
              element("summary", { text: `Cluster of ${name}: ${server.cluster.data_nodes ?? "unknown"} data nodes` }),
              table(`cluster of ${name}`, { columns: ["parameter", "value"], rows: Object.entries(server.cluster) }),
            ),
          ),
        ...((manifest?.stores ?? []).length
          ? [
              element(
                "details",
                {},
                element("summary", { text: `How the values lay: ${manifest.stores.length} stores` }),
                ...manifest.stores.map((store) =>
                  element(
                    "div",
                    { class: "store" },
                    element("pre", { text: store.ddl }),
                    facts({
                      For: Object.entries(store.factors).map(([factor, each]) => `${factor} ${each}`).join(", "),
                      Rows: `${store.content.rows}` + (store.placement.in_row === null ? "" : `, ${store.placement.in_row} of them with all bytes of their value in their row`),
                      Bytes: bytes(store),
                      "Read back": Object.entries(store.verified).map(([what, said]) => `${what}: ${said}`).join("; "),
                    }),
                  ),
                ),
              ),
            ]
          : []),
        ...(manifest
          ? [element("details", {}, element("summary", { text: "Manifest" }), element("pre", { class: "manifest", tabindex: "0", text: JSON.stringify(manifest, undefined, 1) }))]
          : []),
      ];
    };
    return section(
      "evidence",
      "Evidence",
      element(
        "p",
        { class: "tools" },
        element("button", { type: "button", text: "Save results.csv", onclick: () => save("results.csv", all(), "text/csv") }),
        element("button", { type: "button", text: "Save report.json", onclick: () => save("report.json", JSON.stringify(runs.map((run) => run.report), undefined, 1), "application/json") }),
      ),
      element("h3", { text: "Trials that failed, are unavailable, were not steady or have a flag" }),
      trouble.rows.length ? table("troubles", trouble) : element("p", { text: "None." }),
      element("h3", { text: "What was measured, and how" }),
      ...runs.flatMap(about),
    );
  }

  function goTo(id) {
    const place = document.getElementById(id);
    place.scrollIntoView();
    place.focus({ preventScroll: true });
  }

  async function main() {
    const page = await unpacked("data");
    const samples = open(page);
    const runs = page.runs;
    const theme = themes();
    const main = document.getElementById("main");
    const explore = metrics(samples).length > 0 ? explorer(samples, theme) : undefined;
    const sections = [
      answer(runs),
      explore ? section("explore", "Explore", ...explore.place) : undefined,
      claims(runs),
      evidence(runs, samples),
    ].filter(Boolean);
    main.replaceChildren(...sections);
    const there = new Set(sections.map((each) => each.id));
    document.querySelector("nav").append(
      element(
        "ul",
        {},
        ...SECTIONS.filter(([id]) => there.has(id)).map(([id, title]) =>
          element("li", {}, element("button", { type: "button", text: title, onclick: () => goTo(id) })),
        ),
      ),
      theme.control(),
    );
    document.querySelector("footer").textContent = `${["Blobmark", ...new Set(runs.map((run) => run.report.blobmark).filter(Boolean))].join(" ")}: this file is whole, and asks nothing of any host.`;
    explore?.start();
    Object.assign(blobmark, { page, samples, explore });
    if (explore && address.read(location.hash).view) {
      document.getElementById("explore").scrollIntoView();
    }
    document.documentElement.dataset.ready = performance.now().toFixed(0);
  }

  main().catch((error) => {
    document.getElementById("main").textContent = `This page cannot be shown: ${error.message}. A browser of 2023 or later is needed.`;
    throw error;
  });
})((globalThis.blobmark ??= {}));
