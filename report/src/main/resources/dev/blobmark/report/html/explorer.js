// The explorer: a chart, its choices, and the table behind it. The choices are in the page's address.
((blobmark) => {
  "use strict";

  const { VIEWS, subjects, UNITS, metrics, leading, runOf, runsOf, drawable, complete, presets, draw, origin, framed, address, element, select, save, copy, table, level } = blobmark;

  const NONE = [["", "none"]];

  /** @param theme returns the current look */
  function explorer(samples, theme) {
    const fragment = (part) => address.write({ ...complete(samples, part), focus: undefined, shown: undefined });
    const all = presets(samples).map((preset) => ({ ...preset, fragment: fragment(preset.state) }));
    const chartPlace = element("div", { class: "chart", role: "img" });
    const place = {
      presets: element("div", { class: "presets", role: "group", "aria-label": "Charts" }),
      controls: element("form", { class: "controls", onsubmit: (event) => event.preventDefault() }),
      caption: element("p", { class: "caption", "aria-live": "polite" }),
      table: element("div"),
    };
    const chart = echarts.init(chartPlace, null, { renderer: "svg" });
    const buttons = all.map((each) =>
      element("button", { type: "button", text: each.name, onclick: () => show({ ...each.state, focus: state.focus }) }),
    );
    place.presets.append(...buttons);
    chart.on("legendselectchanged", ({ selected }) => {
      const names = Object.keys(selected);
      if (names.every((name) => samples.methods.includes(name))) {
        const others = state.shown.filter((name) => !names.includes(name));
        choose({ shown: [...others, ...names.filter((name) => selected[name])] });
      }
    });
    let state;
    let drawing;
    let isTableOpen = false;

    function show(part, isNew = true) {
      state = complete(samples, part);
      if (isNew) {
        history.replaceState(null, "", `#${address.write({ ...state, shown: state.shown === leading(samples) ? undefined : state.shown })}`);
      }
      redraw();
    }

    const shownPreset = () => all.find((each) => each.fragment === fragment(state));
    const name = () => shownPreset()?.name ?? VIEWS[state.view].name;

    function redraw() {
      paint();
      const preset = shownPreset();
      chartPlace.setAttribute("aria-label", `${name()}. ${drawing.caption} Its figures are in the table below.`);
      place.caption.textContent = drawing.table.rows.length === 0 ? "Nothing was measured that has all of these levels." : drawing.caption;
      const details = element("details", { open: isTableOpen, ontoggle: () => (isTableOpen = details.open) }, element("summary", { text: "The figures as a table" }), table(name(), drawing.table));
      place.table.replaceChildren(details);
      buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(all[i] === preset)));
      fillControls();
    }

    /** The chart alone, in the current size and colours. */
    function paint() {
      drawing = draw(samples, state, theme.look(chartPlace.clientWidth));
      const isEmpty = drawing.table.rows.length === 0;
      chartPlace.style.height = `${isEmpty ? 0 : drawing.height}px`;
      chart.resize();
      chart.setOption(drawing.option, { notMerge: true });
    }

    /** Another choice; choices that it makes impossible are made again. */
    const choose = (change) => show({ ...state, ...change, filters: { ...state.filters, ...change.filters }, last: Object.keys(change.filters ?? {})[0] });

    function fillControls() {
      const focused = place.controls.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
      const needs = VIEWS[state.view].controls;
      const varying = samples.varying();
      const factors = (...without) => varying.filter((factor) => !without.includes(factor)).map((factor) => [factor, factor]);
      const known = metrics(samples);
      const names = known.map((each) => [each.id, each.name]);
      const controls = {
        view: select("chart", Object.entries(VIEWS).filter(([id]) => isPossible(id)).map(([id, view]) => [id, view.name]), state.view, (view) => choose({ view })),
      };
      const kind = (known.find((each) => each.id === state.metric) ?? { kind: "time" }).kind;
      const possible = {
        ranking: () => select("under", rankings(), String(state.ranking), (ranking) => choose({ ranking: Number(ranking) })),
        run: () => select("run", runsOf(samples, state.view).map((run) => [run.label, run.label]), state.run, (run) => choose({ run })),
        metric: () => select("metric", names, state.metric, (metric) => choose({ metric, unit: undefined })),
        against: () => select("against", names, state.against, (against) => choose({ against })),
        x: () => select("x axis", factors(), state.x, (x) => choose({ x })),
        series: () => select("series", [...NONE, ...factors(state.x)], state.series, (series) => choose({ series })),
        facet: () => select(state.view === "regimes" ? "y axis" : "facets", [...(state.view === "regimes" ? [] : NONE), ...factors(state.x, state.series)], state.facet, (facet) => choose({ facet })),
        scale: () => select("scale", [["", "usual"], ["linear", "linear"], ["log", "logarithmic"]], state.scale ?? "", (scale) => choose({ scale })),
        xscale: () => select("x scale", [["", "level by level"], ["linear", "linear"], ["log", "logarithmic"]], state.xscale ?? "", (xscale) => choose({ xscale })),
        unit: () => select("unit", [["", "fitting"], ...UNITS[kind].filter(([symbol]) => symbol).map(([symbol]) => [symbol, symbol])], state.unit ?? "", (unit) => choose({ unit })),
      };
      for (const [id, make] of Object.entries(possible)) {
        if (needs.includes(id) || (id === "run" && state.run)) {
          controls[id] = make();
        }
      }
      if (needs.includes("filters")) {
        const isOpen = state.view === "regimes" || state.view === "panels";
        const free = isOpen ? varying.filter((factor) => ![state.x, state.facet, "method"].includes(factor) && !(state.view === "panels" && factor === "operation")) : Object.keys(state.filters);
        for (const factor of free) {
          const levels = samples.levels(factor).map((each) => [each, level(samples, factor, each)]);
          const none = state.view === "panels" ? "fitting" : isOpen ? "all" : "none";
          const options = factor !== "operation" && (isOpen || state.filters[factor] === "") ? [["", none], ...levels] : levels;
          controls[`of.${factor}`] = select(factor, options, state.filters[factor] ?? "", (chosen) => choose({ filters: { [factor]: chosen } }));
        }
      }
      controls.focus = select("highlight", [...NONE, ...samples.methods.map((name) => [name, name])], state.focus ?? "", (focus) => choose({ focus }));
      for (const [id, control] of Object.entries(controls)) {
        control.querySelector("select").dataset.key = id;
      }
      place.controls.replaceChildren(
        ...Object.values(controls),
        element(
          "span",
          { class: "tools" },
          element("button", { type: "button", text: "Copy link", onclick: (event) => copy(location.href, event.target) }),
          element("button", { type: "button", text: "Save SVG", onclick: () => save(`${state.view}.svg`, svg(), "image/svg+xml") }),
          element("button", { type: "button", text: "Save PNG", onclick: png }),
        ),
      );
      place.controls.querySelector(`[data-key="${focused}"]`)?.focus();
    }

    /** Whether a preset of this run has the view, or the view needs nothing that a run can lack. */
    const isPossible = (id) => id === "lines" || id === "bars" || all.some((each) => each.state.view === id);

    function rankings() {
      const run = runOf(samples, state);
      return drawable(state.view, run).map((i) => [String(i), subjects(state.view, run)[i].name]);
    }

    const svg = () => framed(chart.renderToSVGString(), name(), origin(samples, state), theme.look(chart.getWidth()), chart.getHeight());

    function png() {
      const image = new Image();
      image.onload = () => {
        const { width, height } = image;
        const canvas = element("canvas", { width: 2 * width, height: 2 * height });
        canvas.getContext("2d").drawImage(image, 0, 0, 2 * width, 2 * height);
        canvas.toBlob((blob) => save(`${state.view}.png`, blob));
      };
      image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg())}`;
    }

    addEventListener("resize", paint);
    addEventListener("hashchange", () => {
      const wanted = address.read(location.hash);
      if (Object.hasOwn(VIEWS, wanted.view ?? "")) {
        show(wanted, false);
      }
    });
    theme.onChange(paint);

    return {
      place: [place.presets, place.controls, chartPlace, place.caption, place.table],
      start() {
        const wanted = address.read(location.hash);
        const isWanted = Object.hasOwn(VIEWS, wanted.view ?? "");
        show(isWanted ? wanted : all[0].state, isWanted);
      },
      show,
      /** The current option and state, for tests. */
      option: () => drawing.option,
      state: () => state,
      presets: all,
    };
  }

  Object.assign(blobmark, { explorer });
})((globalThis.blobmark ??= {}));
