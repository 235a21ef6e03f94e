// A metric over a factor: lines or bars, a series for each level of another factor, a facet for each of a third.
((blobmark) => {
  "use strict";

  const { spread, metrics, values, unit, number, level, bytes, base, legend, legendHeight, room, listed, linear, logarithmic, pixels, apart, axis, whiskers, DIM } = blobmark;

  const FACET_HEIGHT = 300;

  /** More levels are not listed. */
  const MANY_LEVELS = 12;

  /** The ratio of the largest figure to the smallest from which a linear axis hides most figures. */
  const WIDE = 30;

  /** Median and range of the rounds for each combination of levels, for the chart and its table. */
  function marks(samples, metric, rows, factors) {
    const all = values(samples, metric);
    const outcomes = samples.column("outcome");
    return samples
      .groups(rows, factors)
      .map((group) => ({
        levels: group.levels,
        spread: spread(group.rows.map((row) => all[row])),
        unsteady: group.rows.filter((row) => outcomes[row] !== "measured").length,
      }))
      .filter((mark) => mark.spread);
  }

  /** @param state view, metric, x, series, facet, unit, scale, xscale, focus, filters; see explorer.js */
  function overFactor(samples, state, look) {
    const metric = metrics(samples).find((each) => each.id === state.metric) ?? metrics(samples)[0];
    const rows = samples.select(state.filters);
    const factors = [...new Set([state.x, state.series, state.facet].filter(Boolean))];
    const all = marks(samples, metric, rows, factors).map((mark) => ({ ...mark, unsteady: mark.unsteady + failed(samples, state.filters, mark) }));
    const isWide = state.view !== "bars" && all.every((mark) => mark.spread.low > 0) && isWideSpread(all.map((mark) => mark.spread.median));
    const isLog = state.scale ? state.scale === "log" : isWide;
    const positive = isLog ? all.filter((mark) => mark.spread.median > 0) : all;
    const isOfMethods = state.series === "method";
    const found = look.isFile && isOfMethods ? positive.filter((mark) => state.shown.includes(mark.levels.method)) : positive;
    const drawn = isOfMethods ? found.filter((mark) => state.shown.includes(mark.levels.method)) : found;
    const least = Math.min(...found.map((mark) => (mark.spread.low > 0 ? mark.spread.low : mark.spread.median)));
    const { symbol, one } = unit(metric, state.unit, Math.max(...found.map((mark) => mark.spread.median)));
    const xs = samples.levels(state.x, rows).filter((x) => found.some((mark) => mark.levels[state.x] === x));
    const names = state.series
      ? samples.levels(state.series, rows).filter((name) => found.some((mark) => mark.levels[state.series] === name))
      : [metric.name];
    const facets = state.facet ? samples.levels(state.facet, rows) : [""];
    const isBars = state.view === "bars";
    const amounts = xs.map((x) => samples.amount(state.x, x));
    const xscale = state.xscale || (xs.length > MANY_LEVELS ? "log" : "levels");
    const isNumeric = !isBars && xscale !== "levels" && amounts.every((x) => x !== undefined && (x > 0 || xscale !== "log"));
    const columns = facets.length === 1 ? 1 : facets.length < 5 ? 2 : 3;
    const lines = Math.ceil(facets.length / columns);
    const style = (name) => look.of(state.series === "method" ? samples.methods.indexOf(name) : names.indexOf(name));
    const title = metric.name + (symbol ? `, ${symbol}` : "");
    const words = (name) => (state.series ? level(samples, state.series, name) : name);
    const legendRoom = legendHeight(look, names, words);
    const shown = isOfMethods ? names.filter((name) => state.shown.includes(name)) : names;
    const isLabelled = !isBars && facets.length === 1 && Boolean(state.series);
    const right = isLabelled ? room(shown.map(words)) : 24;
    const LEFT = 72;
    const slot = (look.width / columns - LEFT - right) / xs.length;
    const isTurned = xs.some((x) => 7.2 * level(samples, state.x, x).length > slot);
    const height = FACET_HEIGHT + (isTurned ? 50 : 0);

    const option = {
      ...base(look, `${metric.name} over ${state.x}`),
      legend: legend(look, names, words, shown),
      grid: [],
      xAxis: [],
      yAxis: [],
      series: [],
      title: [],
    };
    option.aria.decal.show = isBars;
    option.legend.selectedMode = isOfMethods || !isBars;
    listed(option, ({ at }) => `${state.x} ${level(samples, state.x, at)}; ${title}`);

    const scale = isLog ? logarithmic(ends(drawn, isLog, one)) : linear([...ends(drawn, isLog, one), ...(isBars ? [0] : [])]);
    const last = new Map(shown.map((name) => [name, found.filter((mark) => mark.levels[state.series] === name).sort((a, b) => xs.indexOf(a.levels[state.x]) - xs.indexOf(b.levels[state.x])).at(-1)]));
    const labels = isLabelled
      ? shown.map((name) => ({ x: xs.indexOf(last.get(name).levels[state.x]) * slot, y: -pixels(scale, FACET_HEIGHT - 84, last.get(name).spread.median / one), text: words(name) }))
      : [];
    const down = apart(labels);

    facets.forEach((facet, f) => {
      const [column, line] = [f % columns, Math.floor(f / columns)];
      const width = look.width / columns;
      const left = column * width + LEFT;
      const ofFacet = (mark) => !state.facet || mark.levels[state.facet] === facet;
      const top = legendRoom + (state.facet ? 24 : 4) + line * height;
      option.grid.push({
        left,
        width: Math.max(80, width - LEFT - right),
        top,
        height: FACET_HEIGHT - 84,
        containLabel: false,
      });
      if (facet) {
        option.title.push({
          text: level(samples, state.facet, facet),
          left,
          top: top - 24,
          textStyle: { fontSize: 13, color: look.text },
        });
      }
      option.xAxis.push(
        axis(look, {
          gridIndex: f,
          type: isNumeric ? "value" : "category",
          ...(isNumeric ? { scale: true } : { data: xs }),
          ...(isNumeric && xscale === "log" ? logarithmic(amounts) : {}),
          name: state.x,
          nameGap: isTurned ? 88 : 34,
          axisLabel: {
            interval: 0,
            hideOverlap: isNumeric,
            rotate: isTurned ? 40 : 0,
            ...(isNumeric && state.x === "size" ? { customValues: amounts } : {}),
            formatter: (x) => (!isNumeric ? level(samples, state.x, String(x)) : state.x === "size" ? bytes(x) : short(x)),
          },
        }),
      );
      option.yAxis.push(
        axis(look, {
          gridIndex: f,
          ...withFormat(scale),
          name: f % columns === 0 ? title : "",
          nameGap: 52,
        }),
      );
      const marksOf = (name) => found.filter((mark) => (!state.series || mark.levels[state.series] === name) && ofFacet(mark));
      const barNames = names.filter((name) => shown.includes(name) && marksOf(name).length > 0);
      names.forEach((name) => {
        const ofSeries = marksOf(name);
        if (ofSeries.length === 0) {
          return;
        }
        const { color, symbol: shape, dash } = style(name);
        const isBehind = (method) => state.focus && method !== undefined && method !== state.focus;
        const opacity = state.series === "method" && isBehind(name) ? DIM : 1;
        const x = (mark) => (isNumeric ? samples.amount(state.x, mark.levels[state.x]) : xs.indexOf(mark.levels[state.x]));
        const data = ofSeries
          .map((mark) => ({
            value: [x(mark), mark.spread.median / one],
            symbol: mark.unsteady > 0 ? "emptyCircle" : shape,
            itemStyle: { opacity: isBehind(mark.levels.method) ? DIM : 1 },
            at: mark.levels[state.x],
            order: mark.spread.median,
            says:
              `${words(name)}: ${number(mark.spread.median / one)}` +
              ` (${number(mark.spread.low / one)} to ${number(mark.spread.high / one)}, ${mark.spread.rounds} rounds)` +
              (mark.unsteady ? `; ${mark.unsteady} samples not steady, not at their rate or failed` : ""),
          }))
          .sort((a, b) => a.value[0] - b.value[0]);
        if (isLabelled && shown.includes(name)) {
          data.at(-1).label = { show: true, position: "right", offset: [0, down[shown.indexOf(name)]], formatter: words(name), color, opacity, fontWeight: state.focus === name ? "bold" : "normal" };
        }
        const at = { xAxisIndex: f, yAxisIndex: f };
        option.series.push({
          type: isBars ? "bar" : "line",
          name,
          ...at,
          data,
          symbol: shape,
          symbolSize: 8,
          barMaxWidth: BAR.most,
          barGap: `${100 * BAR.gap}%`,
          barCategoryGap: `${100 * BAR.between}%`,
          itemStyle: { color, opacity },
          lineStyle: { color, type: dash, width: state.focus === name ? 3.5 : 2, opacity },
          emphasis: { focus: "series" },
          z: state.focus === name ? 5 : 2,
        });
        const ranges = ofSeries.map((mark) => [x(mark), Math.max(isLog ? least : -Infinity, mark.spread.low) / one, mark.spread.high / one]);
        const shift = isBars ? (category) => offset(category, barNames.indexOf(name), barNames.length) : undefined;
        option.series.push(whiskers(name, ranges, isBars ? look.text : color, { at, opacity: opacity * 0.8, shift }));
      });
    });

    return {
      option,
      height: legendRoom + lines * height + 10,
      caption:
        `${title}: medians over the rounds; whiskers from the lowest round to the highest.` +
        weak(found, isBars, factors) +
        (found.length < all.length ? " What is 0 has no place on a logarithmic scale." : "") +
        alongside(samples, rows, factors) +
        saturation(samples, state, metric) +
        missing(samples, samples.select(withoutOperation(state.filters)), found),
      table: {
        columns: [...factors, title, "lowest round", "highest round", "rounds", "unsteady or failed samples"],
        rows: found.map((mark) => [
          ...factors.map((factor) => (factor === "link" ? level(samples, factor, mark.levels[factor]) : mark.levels[factor])),
          mark.spread.median / one,
          mark.spread.low / one,
          mark.spread.high / one,
          mark.spread.rounds,
          mark.unsteady,
        ]),
      },
    };
  }

  const BAR = { most: 40, gap: 0.2, between: 0.25 };

  /** How far a bar is from the middle of its category, as ECharts places it. */
  function offset(category, i, count) {
    const width = Math.min(BAR.most, (category * (1 - BAR.between)) / (count + (count - 1) * BAR.gap));
    return (i - (count - 1) / 2) * width * (1 + BAR.gap);
  }

  /** What an axis has to reach. */
  const ends = (marks, isLog, one) => marks.flatMap(({ spread }) => [isLog && spread.low <= 0 ? spread.median : spread.low, spread.high].map((each) => each / one));

  const withFormat = (scale) => ({ ...scale, axisLabel: { ...scale.axisLabel, formatter: (y) => short(y) } });

  /** Failed samples have no operation. */
  function withoutOperation({ operation, ...filters }) {
    return filters;
  }

  /** Number of failed samples of a mark, which have no operation. */
  function failed(samples, filters, { levels }) {
    const operation = filters.operation ?? levels.operation;
    if (!operation) {
      return 0;
    }
    const outcome = samples.column("outcome");
    return samples.select(withoutOperation({ ...filters, ...levels })).filter((row) => outcome[row] === "failed").length;
  }

  const FITS = { at: (threads) => `at ${threads}`, "at-least": (threads) => `at ${threads} or more`, "not-reached": (threads) => `not by ${threads}` };

  /** The thread counts at which rates stop growing, as judged by the report. */
  function saturation(samples, state, metric) {
    if (state.x !== "threads" || state.series !== "method" || !["operations", "throughput"].includes(metric.id) || samples.runs.length > 1) {
      return "";
    }
    const isDrawn = (of) => Object.entries(of).every(([factor, text]) => (state.filters[factor] || text) === text);
    const saturations = (samples.runs[0].report.saturation ?? []).filter((each) => isDrawn({ ...each.condition, operation: each.operation }));
    const words = ({ condition, methods }) => {
      const known = methods.filter((each) => FITS[each.state]).map((each) => `${each.method} ${FITS[each.state](each.threads)}`);
      return (state.facet && condition[state.facet] ? `${level(samples, state.facet, condition[state.facet])}: ` : "") + (known.join(", ") || "unknown");
    };
    return saturations.length === 0 || saturations.length > MANY_LEVELS ? "" : ` Threads at which operations per second stop growing: ${saturations.map(words).join("; ")}.`;
  }

  const isWideSpread = (figures) => Math.max(...figures) > WIDE * Math.min(...figures);

  /** Factors that change with x because they have no common level. */
  function alongside(samples, rows, factors) {
    const count = samples.column("count");
    const measured = rows.filter((row) => typeof count[row] === "number");
    const changing = samples
      .varying()
      .filter((factor) => !factors.includes(factor) && samples.levels(factor, measured).length > 1)
      .filter((factor) => !samples.groups(measured, ["method"]).every((group) => samples.levels(factor, group.rows).length === 1));
    return changing.length === 0 ? "" : ` Along with ${factors[0]}, ${changing.join(" and ")} change${changing.length === 1 ? "s" : ""}.`;
  }

  /** Marks of which samples were not steady or are missing. */
  function weak(found, isBars, factors) {
    const unsteady = found.filter((mark) => mark.unsteady);
    if (unsteady.length === 0) {
      return "";
    }
    const what = "not steady, not at their rate or failed in some rounds";
    return isBars ? ` ${[...new Set(unsteady.map((mark) => mark.levels.method ?? mark.levels[factors[0]]))].join(", ")}: ${what}.` : ` Hollow: ${what}.`;
  }

  /** Methods without a mark, and the reasons. */
  function missing(samples, rows, found) {
    if (found.some((mark) => mark.levels.method === undefined)) {
      return "";
    }
    const [method, outcome] = [samples.column("method"), samples.column("outcome")];
    const shown = new Set(found.map((mark) => mark.levels.method));
    const lost = new Map();
    for (const row of rows) {
      if ((outcome[row] === "failed" || outcome[row] === "unavailable") && !shown.has(method[row])) {
        lost.set(method[row], outcome[row]);
      }
    }
    return lost.size === 0 ? "" : ` Not shown: ${[...lost].map(([name, why]) => `${name} (${why})`).join(", ")}.`;
  }

  /** A figure on an axis. */
  function short(x) {
    return x >= 1e9 ? `${+(x / 1e9).toPrecision(3)}G` : x >= 1e6 ? `${+(x / 1e6).toPrecision(3)}M` : x >= 1e4 ? `${+(x / 1e3).toPrecision(3)}k` : `${+x.toPrecision(3)}`;
  }

  /** The operations of the panels, each with its rows, and its condition in words. */
  function panelConditions(samples, state) {
    return samples.levels("operation").map((operation) => {
      const filters = blobmark.filters(samples, ["method"], { ...state.filters, operation }, "operation");
      const rows = samples.select(filters);
      const levels = Object.entries(filters).filter(([factor, text]) => text && factor !== "operation" && factor !== "workload");
      const says = `${operation}: ${levels.map(([factor, text]) => `${factor} ${level(samples, factor, text)}`).join(", ") || "all"}`;
      return { operation, rows, methods: samples.levels("method", rows).length, says };
    });
  }

  /** Bars of several metrics, with a panel for each metric and a bar for each method. */
  function panels(samples, state, look) {
    const operations = panelConditions(samples, state);
    const widest = operations.reduce((most, each) => (each.methods > most.methods ? each : most));
    const wanted = operations.map((each) => ({ ...each, id: "mean" }));
    const known = metrics(samples);
    const disk = known.some((each) => each.id === "disk-used") ? "disk-used" : "disk";
    wanted.push({ rows: widest.rows, id: disk }, { rows: widest.rows, id: "compression-ratio" });
    const found = wanted
      .map(({ operation, rows, id }) => {
        const metric = known.find((each) => each.id === id);
        return { metric, operation, marks: metric ? marks(samples, metric, rows, ["method"]) : [] };
      })
      .filter((panel) => panel.marks.length > 0);
    const methods = samples.methods.filter((name) => found.some((panel) => panel.marks.some((mark) => mark.levels.method === name)));
    const option = { ...base(look, "Several figures of each method"), grid: [], xAxis: [], yAxis: [], series: [], title: [] };
    option.aria.decal.show = true;
    option.tooltip.formatter = (point) => point.data?.says ?? "";
    const width = 84 / Math.max(1, found.length);
    const table = { columns: ["method"], rows: methods.map((name) => [name]) };
    found.forEach((panel, p) => {
      const { symbol, one } = unit(panel.metric, undefined, Math.max(...panel.marks.map((mark) => mark.spread.median)));
      const name = (panel.operation ? `${panel.operation}: ` : "") + panel.metric.name + (symbol ? `, ${symbol}` : "");
      const left = `${15 + p * width}%`;
      const at = (method) => panel.marks.find((mark) => mark.levels.method === method)?.spread.median / one;
      table.columns.push(name);
      methods.forEach((method, m) => table.rows[m].push(at(method)));
      option.grid.push({ left, width: `${width - 2}%`, top: 40, height: methods.length * 26 });
      option.title.push({ text: name, left, top: 8, textStyle: { fontSize: 12, color: look.text, width: 220, overflow: "truncate" } });
      option.xAxis.push(axis(look, { gridIndex: p, type: "value", splitNumber: 3, axisLabel: { formatter: short } }));
      option.yAxis.push(axis(look, { gridIndex: p, type: "category", inverse: true, data: methods, axisLabel: { show: p === 0, interval: 0 } }));
      option.series.push({
        type: "bar",
        name,
        xAxisIndex: p,
        yAxisIndex: p,
        data: methods.map((method, m) => ({
          value: [at(method), m],
          itemStyle: { color: look.of(samples.methods.indexOf(method)).color, opacity: state.focus && state.focus !== method ? DIM : 1 },
          says: `${method}: ${number(at(method))} ${symbol}`,
        })),
      });
    });
    return {
      option,
      height: methods.length * 26 + 90,
      caption:
        `Medians over the rounds. Shorter is better, but for the ratio. ${operations.map(({ says }) => says).join("; ")}; disk and ratio as of ${widest.operation}.` +
        missing(samples, operations.flatMap((each) => each.rows), found.flatMap((panel) => panel.marks)),
      table,
    };
  }

  /** Every sample in the order of time: drift shows as a slope, a disturbed round as a step of all methods. */
  function drift(samples, state, look) {
    const metric = metrics(samples).find((each) => each.id === state.metric) ?? metrics(samples)[0];
    const rows = samples.select(state.filters);
    const all = values(samples, metric);
    const [times, outcomes, reasons] = [samples.column("started_at"), samples.column("outcome"), samples.column("reason")];
    const [forks, rounds] = [samples.column("fork"), samples.column("round")];
    const largest = rows.reduce((most, row) => Math.max(most, all[row] ?? 0), 0);
    const { symbol, one } = unit(metric, state.unit, largest);
    const figures = rows.map((row) => all[row]).filter((figure) => typeof figure === "number");
    const isLog = state.scale ? state.scale === "log" : figures.every((figure) => figure > 0) && isWideSpread(figures);
    const methods = samples.levels("method", rows).filter((name) => !look.isFile || state.shown.includes(name));
    const legendRoom = legendHeight(look, methods);
    const title = metric.name + (symbol ? `, ${symbol}` : "");
    const option = {
      ...base(look, `${metric.name} of every sample over time`),
      legend: legend(look, methods, undefined, state.shown),
      grid: { left: 70, right: 20, top: legendRoom + 6, height: 300 },
      xAxis: axis(look, { type: "time", name: "time of the sample, UTC", nameGap: 34 }),
      yAxis: axis(look, { ...withFormat(isLog ? logarithmic(figures.map((figure) => figure / one)) : linear(figures.map((figure) => figure / one))), name: title, nameGap: 52 }),
      dataZoom: [{ type: "inside" }],
      series: methods.map((name) => {
        const { color, symbol: shape, dash } = look.of(samples.methods.indexOf(name));
        const opacity = state.focus && state.focus !== name ? DIM : 1;
        const ofMethod = rows.filter((row) => samples.column("method")[row] === name);
        return {
          type: "line",
          name,
          symbol: shape,
          symbolSize: 7,
          itemStyle: { color, opacity },
          lineStyle: { color, type: dash, width: 1, opacity: opacity * 0.5 },
          data: ofMethod
            .filter((row) => typeof all[row] === "number" && (all[row] > 0 || !isLog))
            .map((row) => ({
              value: [times[row], all[row] / one],
              symbol: outcomes[row] === "measured" ? shape : "emptyCircle",
              says:
                `${name}, fork ${forks[row]}, round ${rounds[row]}: ${number(all[row] / one)} ${symbol}` +
                (outcomes[row] === "measured" ? "" : `\n${outcomes[row]}: ${reasons[row]}`),
            }))
            .sort((a, b) => (a.value[0] < b.value[0] ? -1 : 1)),
        };
      }),
    };
    option.tooltip.formatter = (point) => point.data?.says ?? "";
    return {
      option,
      height: legendRoom + 376,
      caption: `${title} of every sample. Hollow: not steady, or not at its rate.`,
      table: {
        columns: ["started at", "method", "fork", "round", "outcome", title, "reason"],
        rows: rows.map((row) => [
          times[row],
          samples.column("method")[row],
          forks[row],
          rounds[row],
          outcomes[row],
          typeof all[row] === "number" ? all[row] / one : "",
          reasons[row],
        ]),
      },
    };
  }

  Object.assign(blobmark, { overFactor, panels, panelConditions, drift, marks, short, withFormat });
})((globalThis.blobmark ??= {}));
