// The page: makes its tables sortable, and adds charts and evidence from the packed data.
((blobmark) => {
  "use strict";

  const { element, select, save, enhance, csv, explorer, metrics, open, look, draw, drawable, address } = blobmark;

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
    const changed = () => listeners.forEach((listener) => listener());
    system.addEventListener("change", changed);
    addEventListener("beforeprint", () => ((isPrinting = true), changed()));
    addEventListener("afterprint", () => ((isPrinting = false), changed()));
    return {
      look: (width) => look(!isPrinting && (chosen === "dark" || (chosen === "auto" && system.matches)), width),
      onChange: (listener) => listeners.push(listener),
      control: () =>
        select("colours", THEMES.map((theme) => [theme, theme]), chosen, (theme) => {
          chosen = theme;
          document.documentElement.dataset.theme = theme;
          changed();
        }),
    };
  }

  /** The figures of one condition next to a chart of it; the reader chooses the condition. */
  function glance(place, samples, theme) {
    const figure = place.querySelector(".figure");
    const run = samples.runs.find((each) => each.label === place.dataset.run);
    const tiles = [...place.querySelectorAll(".tiles")];
    const view = ["parts", "forest"].find((each) => drawable(each, run).length > 0);
    const shown = tiles.find((each) => !each.hidden);
    let ranking = Number(shown?.dataset.of ?? 0);
    if (tiles.length > 1) {
      const choices = tiles.map((each) => [each.dataset.of, run.parts[each.dataset.of].name]);
      place.querySelector(".part").prepend(element("div", { class: "controls" }, select("condition", choices, String(ranking), choose)));
    }
    const chartPlace = element("div", { class: "chart", role: "img" });
    const title = element("h3");
    const caption = element("p", { class: "detail" });
    if (view) {
      figure.append(title, chartPlace, caption);
    }
    const chart = view && echarts.init(chartPlace, null, { renderer: "svg" });

    function choose(of) {
      ranking = Number(of);
      tiles.forEach((each) => (each.hidden = each.dataset.of !== of));
      paint();
    }

    function paint() {
      if (!chart || !drawable(view, run).includes(ranking)) {
        figure.hidden = true;
        return;
      }
      figure.hidden = false;
      const drawing = draw(samples, { view, ranking, run: run.label }, theme.look(chartPlace.clientWidth));
      title.textContent = `${blobmark.VIEWS[view].name} (${run.parts[ranking].name})`;
      caption.textContent = drawing.caption;
      chartPlace.style.height = `${drawing.height}px`;
      chartPlace.setAttribute("aria-label", `${title.textContent}. ${drawing.caption} The figures are below, in the charts of Explore.`);
      chart.resize();
      chart.setOption(drawing.option, { notMerge: true });
    }

    paint();
    addEventListener("resize", paint);
    theme.onChange(paint);
  }

  function evidence(place, html, samples) {
    const all = () => {
      const columns = samples.names.map((name) => samples.column(name));
      const rows = Array.from({ length: samples.length }, (_, row) => columns.map((column) => column[row]));
      return csv({ columns: samples.names, rows });
    };
    place.insertAdjacentHTML("beforeend", html); // written by the report, which escapes all text of the run
    place.append(
      element(
        "p",
        { class: "tools" },
        element("button", { type: "button", text: "Save results.csv", onclick: () => save("results.csv", all(), "text/csv") }),
        element("button", { type: "button", text: "Save report.json", onclick: () => save("report.json", JSON.stringify(samples.runs.map((run) => run.report), undefined, 1), "application/json") }),
      ),
    );
    place.hidden = false;
  }

  function goTo(id) {
    const place = document.getElementById(id);
    place.scrollIntoView();
    place.focus({ preventScroll: true });
  }

  function navigation(theme) {
    document.querySelector("nav").replaceChildren(
      element(
        "ul",
        {},
        ...SECTIONS.filter(([id]) => document.getElementById(id)?.hidden === false).map(([id, title]) =>
          element("li", {}, element("button", { type: "button", text: title, onclick: () => goTo(id) })),
        ),
      ),
      theme.control(),
    );
  }

  async function main() {
    document.querySelectorAll("main .table").forEach(enhance);
    const page = await unpacked("data");
    const samples = open(page);
    const theme = themes();
    document.querySelectorAll(".glance").forEach((place) => glance(place, samples, theme));
    const explore = metrics(samples).length > 0 ? explorer(samples, theme) : undefined;
    if (explore) {
      document.getElementById("explore").append(...explore.place);
      document.getElementById("explore").hidden = false;
      explore.start();
    }
    const proof = document.getElementById("evidence");
    evidence(proof, page.evidence, samples);
    proof.querySelectorAll(".table").forEach(enhance);
    navigation(theme);
    document.querySelector("footer").textContent = `${["Blobmark", ...new Set(samples.runs.map((run) => run.report.blobmark?.version).filter(Boolean))].join(" ")}. This file is complete; it makes no request.`;
    addEventListener("beforeprint", () => document.querySelectorAll("#answer details, #claims > div > section > details").forEach((each) => (each.open = true)));
    Object.assign(blobmark, { page, samples, explore });
    if (explore && address.read(location.hash).view) {
      document.getElementById("explore").scrollIntoView();
    }
    document.documentElement.dataset.ready = performance.now().toFixed(0);
  }

  main().catch((error) => {
    document.getElementById("main").prepend(`Charts cannot be shown: ${error.message}. They need a browser of 2023 or later.`);
    throw error;
  });
})((globalThis.blobmark ??= {}));
