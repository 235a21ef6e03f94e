// A metric over a factor: lines or bars, a series for each level of another factor, a facet for each of a third.
((blobmark) => {
  "use strict";

  const { spread, metrics, values, unit, number, level, base, legend, legendHeight, axis, whiskers, DIM } = blobmark;

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
    const found = isLog ? all.filter((mark) => mark.spread.median > 0) : all;
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
    const slot = (0.9 * look.width) / columns / xs.length;
    const isTurned = xs.some((x) => 7.2 * level(samples, state.x, x).length > slot);
    const height = FACET_HEIGHT + (isTurned ? 50 : 0);

    const option = {
      ...base(look, `${metric.name} over ${state.x}`),
      legend: legend(look, names, words),
      grid: [],
      xAxis: [],
      yAxis: [],
      series: [],
      title: [],
    };
    option.aria.decal.show = isBars;
    option.tooltip.formatter = (point) => point.data?.says ?? "";

    facets.forEach((facet, f) => {
      const [column, line] = [f % columns, Math.floor(f / columns)];
      const width = 100 / columns;
      const top = legendRoom + (state.facet ? 24 : 4) + line * height;
      option.grid.push({
        left: `${column * width + 7 / columns + 1}%`,
        width: `${width - 7 / columns - 2}%`,
        top,
        height: FACET_HEIGHT - 84,
        containLabel: false,
      });
      if (facet) {
        option.title.push({
          text: level(samples, state.facet, facet),
          left: `${column * width + 7 / columns + 1}%`,
          top: top - 24,
          textStyle: { fontSize: 13, color: look.text },
        });
      }
      option.xAxis.push(
        axis(look, {
          gridIndex: f,
          type: isNumeric ? (xscale === "log" ? "log" : "value") : "category",
          ...(isNumeric ? {} : { data: xs }),
          name: state.x,
          nameGap: isTurned ? 88 : 34,
          axisLabel: {
            interval: 0,
            hideOverlap: isNumeric,
            rotate: isTurned ? 40 : 0,
            formatter: (x) => (isNumeric ? short(x) : level(samples, state.x, String(x))),
          },
        }),
      );
      option.yAxis.push(
        axis(look, {
          gridIndex: f,
          type: isLog ? "log" : "value",
          name: f % columns === 0 ? title : "",
          nameGap: 52,
          axisLabel: { formatter: (y) => short(y) },
        }),
      );
      names.forEach((name) => {
        const ofSeries = found.filter(
          (mark) =>
            (!state.series || mark.levels[state.series] === name) && (!state.facet || mark.levels[state.facet] === facet),
        );
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
            says:
              `${words(name)}, ${state.x} ${level(samples, state.x, mark.levels[state.x])}\n${number(mark.spread.median / one)} ${symbol}` +
              ` (${number(mark.spread.low / one)} to ${number(mark.spread.high / one)} over ${mark.spread.rounds} rounds)` +
              (mark.unsteady ? `\nnot steady, not at its rate or failed in ${mark.unsteady} samples` : ""),
          }))
          .sort((a, b) => a.value[0] - b.value[0]);
        const at = { xAxisIndex: f, yAxisIndex: f };
        option.series.push({
          type: isBars ? "bar" : "line",
          name,
          ...at,
          data,
          symbol: shape,
          symbolSize: 8,
          barMaxWidth: 40,
          itemStyle: { color, opacity },
          lineStyle: { color, type: dash, width: state.focus === name ? 3.5 : 2, opacity },
          emphasis: { focus: "series" },
          z: state.focus === name ? 5 : 2,
        });
        if (!isBars) {
          const ranges = ofSeries.map((mark) => [x(mark), Math.max(isLog ? least : -Infinity, mark.spread.low) / one, mark.spread.high / one]);
          option.series.push(whiskers(name, ranges, color, { at, opacity: opacity * 0.8 }));
        }
      });
    });

    return {
      option,
      height: legendRoom + lines * height + 10,
      caption:
        `${title}: medians over the rounds` +
        (isBars ? "; their ranges are in the table." : "; whiskers from the lowest round to the highest.") +
        weak(found, isBars, factors) +
        (found.length < all.length ? " What is 0 has no place on a logarithmic scale." : "") +
        alongside(samples, rows, factors) +
        saturation(samples, state, metric) +
        missing(samples, samples.select(withoutOperation(state.filters)), found),
      table: {
        columns: [...factors, title, "lowest round", "highest round", "rounds", "unsteady or failed samples"],
        rows: found.map((mark) => [
          ...factors.map((factor) => mark.levels[factor]),
          mark.spread.median / one,
          mark.spread.low / one,
          mark.spread.high / one,
          mark.spread.rounds,
          mark.unsteady,
        ]),
      },
    };
  }

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

  /** Bars of several metrics, with a panel for each metric and a bar for each method. */
  function panels(samples, state, look) {
    const operations = samples.levels("operation").map((operation) => {
      const filters = blobmark.filters(samples, ["method"], { ...state.filters, operation }, "operation");
      const rows = samples.select(filters);
      return { operation, filters, rows, methods: samples.levels("method", rows).length };
    });
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
    const under = operations.map(({ operation, filters }) => {
      const levels = Object.entries(filters).filter(([factor, text]) => text && factor !== "operation" && factor !== "workload");
      return `${operation}: ${levels.map(([factor, text]) => `${factor} ${level(samples, factor, text)}`).join(", ") || "all"}`;
    });
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
        `Medians over the rounds. Shorter is better, but for the ratio. ${under.join("; ")}; disk and ratio as of ${widest.operation}.` +
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
    const methods = samples.levels("method", rows);
    const legendRoom = legendHeight(look, methods);
    const title = metric.name + (symbol ? `, ${symbol}` : "");
    const option = {
      ...base(look, `${metric.name} of every sample over time`),
      legend: legend(look, methods),
      grid: { left: 70, right: 20, top: legendRoom + 6, height: 300 },
      xAxis: axis(look, { type: "time", name: "time of the sample, UTC", nameGap: 34 }),
      yAxis: axis(look, { type: isLog ? "log" : "value", name: title, nameGap: 52, axisLabel: { formatter: short } }),
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
      caption: `${title} of every sample. Hollow: not steady, or not at ofMethod rate.`,
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

  Object.assign(blobmark, { overFactor, panels, drift, marks, short });
})((globalThis.blobmark ??= {}));
