// The views of the page: what each needs, its choices, and the views that a run is shown with.
((blobmark) => {
  "use strict";

  const { metrics, leading, overFactor, panels, panelConditions, drift, forest, published, percentiles, parts, pareto, regimes, links } = blobmark;

  /** The choices of a view, besides the highlighted method. */
  const VIEWS = {
    lines: { name: "Lines over a factor", draw: overFactor, controls: ["metric", "x", "series", "facet", "scale", "xscale", "unit", "filters"] },
    bars: { name: "Bars", draw: overFactor, controls: ["metric", "x", "series", "facet", "scale", "unit", "filters"] },
    panels: { name: "Several figures", draw: panels, controls: ["filters"] },
    forest: { name: "Effect against the baseline", draw: forest, controls: ["ranking"] },
    published: { name: "Published figures next to these", draw: published, controls: ["ranking"] },
    pareto: { name: "One figure against another", draw: pareto, controls: ["ranking", "metric", "against", "scale", "unit"] },
    percentiles: { name: "Latency by percentile", draw: percentiles, controls: ["ranking", "scale", "unit"] },
    parts: { name: "Where the time goes", draw: parts, controls: ["ranking", "unit"] },
    regimes: { name: "Which method where", draw: regimes, controls: ["x", "facet", "filters"] },
    links: { name: "Over other links", draw: links, controls: ["ranking", "scale"] },
    drift: { name: "Each sample over time", draw: drift, controls: ["metric", "scale", "unit", "filters"] },
  };

  /** Whether a view of one ranking has data for it. */
  const DRAWABLE = {
    forest: (run, i) => run.report.rankings[i].methods.some((row) => row.to_baseline),
    percentiles: (run, i) => Object.keys(run.parts[i].curves).length > 0,
    parts: (run, i) => run.report.rankings[i].methods.some((row) => row.time_ns_per_op),
    pareto: (run, i) => !run.report.rankings[i].sizes && run.report.rankings[i].methods.length > 0,
    links: (run, i) => run.forecasts.some((forecast) => forecast.ranking === i),
    published: () => true,
  };

  /** What a view can be of, with names and conditions: the rankings of a run, or the published figures that it has measured too. */
  const subjects = (view, run) => (view === "published" ? run.published : run.parts);

  /** Numbers of the subjects that a view can show. */
  const drawable = (view, run) => subjects(view, run).map((_, i) => i).filter((i) => DRAWABLE[view](run, i));

  /** The runs that a view of one ranking can show. */
  const runsOf = (samples, view) => samples.runs.filter((run) => drawable(view, run).length > 0);

  /** The metrics that readers ask for first. */
  const READING = ["mix", "fetch", "membership"];

  /** Conditions that differ in several of these are rarely comparable: the first are fixed first. */
  const FIRST = ["run", "operation", "workload", "dataset"];

  /**
   * Levels of the factors that a view does not spread out, so that no mark mixes conditions: those with most marks along
   * x. A factor is left open if each method has its own level of it, or if it changes with x, as the number of rows may
   * change with the size of values.
   *
   * @param used factors that the view spreads out, the one along x first
   * @param wish levels that were chosen
   * @param last the factor that was chosen last
   */
  function filters(samples, used, wish = {}, last = undefined) {
    const count = samples.column("count");
    const order = [last, ...FIRST, ...samples.varying()].filter((factor) => factor && samples.varying().includes(factor) && !used.includes(factor));
    const fixed = {};
    let rows = samples.select({}).filter((row) => typeof count[row] === "number");
    const spread = (chosen) => used.map((factor) => Math.max(1, samples.levels(factor, chosen).length));
    const product = (chosen) => spread(chosen).reduce((all, n) => all * n, 1);
    for (const factor of new Set(order)) {
      const column = samples.of(factor);
      const byLevel = samples.groups(rows, [factor]).map((group) => ({ level: group.levels[factor], rows: group.rows }));
      const wished = byLevel.find((each) => each.level === wish[factor]);
      const isOneEach = (factors) => samples.groups(rows, factors).every((group) => new Set(group.rows.map((row) => column[row])).size === 1);
      if (!wished && byLevel.length > 1 && used.includes("method") && isOneEach(["method"])) {
        continue;
      }
      byLevel.sort((a, b) => spread(b.rows)[0] - spread(a.rows)[0] || product(b.rows) - product(a.rows));
      const chosen = wished ?? byLevel[0];
      const goesWithX = chosen && spread(chosen.rows)[0] < 2 && spread(rows)[0] > 1 && isOneEach(used);
      if (chosen && (wished || !goesWithX)) {
        fixed[factor] = chosen.level;
        rows = chosen.rows;
      }
    }
    return fixed;
  }

  /** A complete state from a partial one: missing choices are made, and choices that this run lacks are left out. */
  function complete(samples, part) {
    const view = Object.hasOwn(VIEWS, part.view ?? "") ? part.view : "lines";
    const needs = VIEWS[view].controls;
    const varying = samples.varying();
    const known = metrics(samples).map((each) => each.id);
    const state = { view, focus: samples.methods.includes(part.focus) ? part.focus : undefined };
    const shown = samples.methods.filter((method) => part.shown?.includes(method));
    state.shown = shown.length > 0 ? shown : leading(samples);
    for (const key of ["unit", "scale", "xscale"]) {
      state[key] = part[key];
    }
    if (needs.includes("ranking")) {
      const runs = runsOf(samples, view);
      const run = runs.find((each) => each.label === part.run) ?? runs[0];
      if (!run) {
        return complete(samples, { view: "lines" });
      }
      const drawn = drawable(view, run);
      state.run = samples.runs.length > 1 ? run.label : undefined;
      const reading = view === "published" ? undefined : drawn.find((i) => READING.includes(run.report.rankings[i].operation));
      state.ranking = drawn.includes(part.ranking) ? part.ranking : (reading ?? drawn[0]);
    }
    if (needs.includes("metric")) {
      state.metric = known.includes(part.metric) ? part.metric : headline(samples, known);
    }
    if (needs.includes("against")) {
      state.against = known.includes(part.against) ? part.against : ["disk-used", "disk", "compression-ratio", "cpu"].find((each) => known.includes(each)) ?? known[0];
    }
    if (needs.includes("x")) {
      const conditions = varying.filter((factor) => factor !== "method" && factor !== "operation" && factor !== "workload");
      state.x = varying.includes(part.x) ? part.x : (conditions[0] ?? "method");
    }
    if (needs.includes("series")) {
      const others = varying.filter((factor) => factor !== state.x);
      state.series = part.series === "" || others.includes(part.series) ? part.series : others.includes("method") ? "method" : others[0];
    }
    if (needs.includes("facet")) {
      const others = varying.filter((factor) => factor !== state.x && factor !== state.series);
      state.facet = others.includes(part.facet) ? part.facet : view === "regimes" ? others.find((factor) => !["method", "operation", "workload"].includes(factor)) : "";
    }
    if (view === "regimes") {
      state.filters = Object.fromEntries(Object.entries(part.filters ?? {}).filter(([factor, level]) => level && ![state.x, state.facet].includes(factor)));
      state.filters.operation ??= filters(samples, ["method", state.x, state.facet]).operation;
    } else if (view === "panels") {
      state.filters = part.filters ?? {};
    } else if (needs.includes("filters")) {
      const used = view === "drift" ? ["method"] : [state.x, state.series, state.facet].filter(Boolean);
      state.filters = filters(samples, used, part.filters, part.last);
    }
    return state;
  }

  function headline(samples, known) {
    const metric = samples.runs[0].report.rankings[0]?.metric ?? samples.runs[0].report.metric;
    return known.includes(metric) ? metric : known[0];
  }

  /** Factors that have their own chart below, or no chart. */
  const NAMED = ["size", "threads", "dataset", "rows", "link", "workload"];

  /** The charts that this data can show, with a name and a state; those of the published studies first. */
  function presets(samples) {
    const varying = samples.varying();
    const known = metrics(samples).map((each) => each.id);
    const has = (factor) => varying.includes(factor);
    const canShow = (view) => runsOf(samples, view).length > 0;
    const metric = headline(samples, known);
    const all = [];
    if (known.length === 0) {
      return all;
    }
    const add = (id, name, state, isShown = true) => isShown && all.push({ id, name, state });
    const words = (id) => metrics(samples).find((each) => each.id === id)?.name ?? id;
    const capital = (text) => text[0].toUpperCase() + text.slice(1);

    /** Whether a method has several levels: a factor that only distinguishes methods is not an axis. */
    const along = (x) =>
      has(x) && samples.groups(samples.select(complete(samples, { view: "lines", x }).filters), ["method"]).some((group) => samples.levels(x, group.rows).length > 1);
    add("by-size", `${capital(words(metric))} over the size of values`, { view: "lines", x: "size", metric }, along("size"));
    add("by-threads", `${capital(words(metric))} over threads`, { view: "lines", x: "threads", metric }, along("threads"));
    for (const id of ["operations", "p50", "p95", "max"]) {
      add(`${id}-by-threads`, `${capital(words(id))} over threads`, { view: "lines", x: "threads", metric: id }, along("threads") && known.includes(id) && id !== metric);
    }
    add("by-dataset", `${capital(words(metric))} by dataset`, { view: "bars", x: "dataset", metric }, along("dataset"));
    add("by-rows", `${capital(words(metric))} over rows`, { view: "lines", x: "rows", metric }, along("rows") && !along("size"));
    for (const x of samples.conditionFactors.filter((factor) => !NAMED.includes(factor) && has(factor))) {
      add(`by-${x}`, `${capital(words(metric))} over ${x}`, { view: "lines", x, metric }, along(x));
    }
    add("by-link", `${capital(words(metric))} over links, as measured`, { view: "bars", x: "link", metric }, along("link"));
    add("over-bandwidth", "Throughput over the link's bandwidth", { view: "links" }, canShow("links"));
    add("published", "Published figures next to these", { view: "published" }, canShow("published"));
    add("effect", "Effect against the baseline", { view: "forest" }, canShow("forest"));
    add("by-method", `${capital(words(metric))} by method`, { view: "bars", x: "method", series: ["size", "dataset", "threads", "run"].find(has) ?? "", metric }, has("method"));
    add("compression", "Compression ratio by codec and size", { view: "bars", x: "method", series: has("size") ? "size" : "", metric: "compression-ratio" }, known.includes("compression-ratio") && isSpread(samples, "compression-ratio"));
    const disk = known.includes("disk-used") ? "disk-used" : "disk";
    add("speed-and-disk", "Speed against disk", { view: "pareto", metric, against: disk }, known.includes(disk) && isSpread(samples, disk) && has("method"));
    add("write-read-disk", "Insert and select time next to disk", { view: "panels" }, samples.levels("operation").includes("insert"));
    add("time", "Where the time goes", { view: "parts" }, canShow("parts"));
    add("percentiles", "Latency by percentile", { view: "percentiles" }, canShow("percentiles"));
    const map = has("method") ? widest(samples, samples.conditionFactors.filter((factor) => has(factor) && factor !== "workload")) : undefined;
    add("regimes", "Which method where", { view: "regimes", x: map?.[0], facet: map?.[1] }, map !== undefined);
    add("runs", `${capital(words(metric))} of each run`, { view: "bars", x: "method", series: "run", metric }, has("run") && has("method"));
    add("drift", "Each sample over time", { view: "drift", metric }, samples.length > 1 && samples.names.includes("started_at"));
    if (all.length === 0) {
      all.push({ id: "all", name: capital(words(metric)), state: { view: "bars", metric } });
    }
    return all;
  }

  /** The two factors with the most rankings; undefined if no two factors have two levels each. */
  function widest(samples, factors) {
    const rankings = samples.runs.flatMap((run) => run.report.rankings).filter((ranking) => !ranking.sizes && ranking.best);
    const pairs = factors.flatMap((x, i) => factors.slice(i + 1).map((y) => [x, y]));
    const cells = ([x, y]) => {
      const both = rankings.map((ranking) => ranking.condition).filter((condition) => condition[x] !== undefined && condition[y] !== undefined);
      const count = (of) => new Set(both.map(of)).size;
      return count((each) => each[x]) > 1 && count((each) => each[y]) > 1 ? count((each) => `${each[x]} ${each[y]}`) : 0;
    };
    return pairs.filter((pair) => cells(pair) > 0).sort((a, b) => cells(b) - cells(a))[0];
  }

  function isSpread(samples, id) {
    const known = blobmark.values(samples, metrics(samples).find((each) => each.id === id)).filter((x) => typeof x === "number");
    return Math.max(...known.slice(0, 1000)) > 1.01 * Math.min(...known.slice(0, 1000));
  }

  /** An option of ECharts with its height, caption and table. */
  function draw(samples, state, look) {
    return VIEWS[state.view].draw(samples, { shown: leading(samples), ...state }, look);
  }

  /** Where the figures of a view are from: the condition, then server, machine and date of the runs. */
  function origin(samples, state) {
    const runs = state.run ? [blobmark.runOf(samples, state)] : samples.runs;
    const levels = Object.entries(state.filters ?? {}).filter(([factor, text]) => text && factor !== "workload");
    const constant = ["operation", "size", "dataset", "threads"].filter((factor) => samples.levels(factor).length === 1).map((factor) => [factor, samples.levels(factor)[0]]);
    const condition =
      state.ranking === undefined
        ? [...constant, ...levels].map(([factor, text]) => blobmark.level(samples, factor, text)).join(", ")
        : subjects(state.view, blobmark.runOf(samples, state))[state.ranking].condition;
    const each = state.view === "panels" ? panelConditions(samples, state).map(({ says }) => says) : [];
    return [condition, ...each, ...runs.map((run) => run.setting)].filter(Boolean);
  }

  /** Reads the packed data. */
  function open(page) {
    return new blobmark.Samples(page.runs);
  }

  const FRAME = { top: 58, bottom: 12, line: 17 };

  /** A chart as a file that says what it shows: a title, and lines of where the figures are from. */
  function framed(svg, title, lines, look, height) {
    const escape = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;");
    const most = Math.floor((look.width - 20) / 6.3);
    const wrapped = lines.flatMap((line) => line.match(new RegExp(`.{1,${most}}(?: |$)|.{1,${most}}`, "gu")) ?? []);
    const top = FRAME.top + (wrapped.length - 2) * FRAME.line;
    const whole = top + height + FRAME.bottom;
    const text = (words, y, size, weight, colour) => `<text x="10" y="${y}" font-family="${escape(look.font)}" font-size="${size}" font-weight="${weight}" fill="${colour}">${escape(words)}</text>`;
    const inner = svg.replace(/^<svg[^>]*>/, "").replace(/<\/svg>\s*$/, "");
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${look.width}" height="${whole}" viewBox="0 0 ${look.width} ${whole}">` +
      `<rect width="${look.width}" height="${whole}" fill="${look.ground}"/>` +
      text(title, 24, 16, "bold", look.text) +
      wrapped.map((line, i) => text(line, 43 + i * FRAME.line, 12, "normal", look.faint)).join("") +
      `<g transform="translate(0,${top + 8})">${inner}</g></svg>`
    );
  }

  /** All charts of a run for files, in a font that most systems have, because a file contains none. */
  function drawings(samples, width) {
    const look = blobmark.look(false, width, "'DejaVu Sans', Verdana, Arial, sans-serif", true);
    return presets(samples).map(({ id, name, state }) => ({
      id,
      drawn() {
        const whole = complete(samples, state);
        const drawing = draw(samples, whole, look);
        return { ...drawing, frame: (svg) => framed(svg, name, origin(samples, whole), look, drawing.height) };
      },
    }));
  }

  Object.assign(blobmark, { VIEWS, subjects, origin, framed, filters, drawable, runsOf, complete, presets, draw, open, drawings });
})((globalThis.blobmark ??= {}));
