// Charts of rankings: effects, percentiles, parts of the time, speed against disk, winners, and other links.
((blobmark) => {
  "use strict";

  const { metrics, unit, number, bandwidth, base, legend, legendHeight, room, listed, linear, logarithmic, pixels, apart, axis, whiskers, marks, short, withFormat, DIM, level } = blobmark;

  const ROW_HEIGHT = 26;

  /** The run of a view of one ranking. */
  const runOf = (samples, state) => samples.runs.find((each) => each.label === state.run) ?? samples.runs[0];

  function chosen(samples, state) {
    const run = runOf(samples, state);
    const index = state.ranking ?? 0;
    return { run, ranking: run.report.rankings[index], part: run.parts[index] };
  }

  const colour = (samples, look, state, name) => ({
    ...look.of(samples.methods.indexOf(name)),
    opacity: state.focus && state.focus !== name ? DIM : 1,
  });

  /** How far beyond the effects the axis of intervals reaches. */
  const REACH = 1.5;

  /** Ratios to the baseline with their intervals. */
  function forest(samples, state, look) {
    const { run, ranking, part } = chosen(samples, state);
    const rows = ranking.methods.filter((row) => row.to_baseline);
    const names = rows.map((row) => row.method);
    const points = rows.map((row) => ({ effect: row.to_baseline.value, ...row.to_baseline.interval, verdict: row.verdict?.word }));
    const effects = [1, ...points.map((point) => point.effect)].filter((x) => x > 0);
    // an interval that reaches farther says no more, and would leave no room for the others
    const limits = [Math.min(...effects) / REACH, Math.max(...effects) * REACH];
    const edges = points.flatMap((point) => [point.effect, Math.max(limits[0], point.low ?? 1), Math.min(limits[1], point.high ?? 1)]).filter((x) => x > 0);
    const ends = [Math.min(...edges, 1), Math.max(...edges, 1)];
    const isLog = ends[1] / ends[0] > 4;
    const scale = isLog ? logarithmic(ends) : { type: "value", scale: true };
    const band = Math.max(ranking.equal_within ?? 0, ranking.noise_floor ?? 0);
    const option = {
      ...base(look, "Effect of each method against the baseline"),
      grid: { left: room(names), right: 30, top: 16, height: names.length * ROW_HEIGHT },
      xAxis: axis(look, {
        ...scale,
        name: `${ranking.metric} ÷ that of ${run.report.baseline}`,
        nameGap: 30,
        axisLabel: { ...scale.axisLabel, formatter: (x) => `${+x.toPrecision(3)} ×` },
      }),
      yAxis: axis(look, { type: "category", data: names, inverse: true, axisLabel: { interval: 0, width: 170, overflow: "truncate" } }),
      series: [
        {
          type: "scatter",
          name: "effect",
          symbolSize: 9,
          data: points.map((point, i) => {
            const { color, symbol, opacity } = colour(samples, look, state, names[i]);
            return {
              value: [point.effect, i],
              symbol,
              itemStyle: { color, opacity },
              order: 0,
              says: `${number(point.effect)} ×` + (point.low ? ` (${number(point.low)} to ${number(point.high)})` : ", no interval") + `, ${point.verdict ?? ""}`,
              at: names[i],
            };
          }),
          markLine: {
            symbol: "none",
            silent: true,
            lineStyle: { color: look.text, type: "solid" },
            label: { show: false },
            data: [{ xAxis: 1 }],
          },
          markArea: { silent: true, itemStyle: { color: look.band }, data: [[{ xAxis: 1 / (1 + band) }, { xAxis: 1 + band }]] },
        },
        whiskers(
          "interval",
          points.map((point, i) => [i, point.low ?? point.effect, point.high ?? point.effect]),
          look.text,
          { isHorizontal: true, limits: ends },
        ),
      ],
    };
    listed(option, ({ at }) => at);
    return {
      option,
      height: names.length * ROW_HEIGHT + 80,
      caption:
        `${part.higher_is_better ? "Farther right" : "Farther left"} is better. ` +
        "Geometric means of the ratios in the same round, with intervals that hold together with 95 %; an arrow marks one that reaches farther" +
        (band ? `; the band, ± ${number(100 * band)} %, is ${part.allows_equal ? "what counts as equal" : "the noise floor: nothing is called equal"}.` : "."),
      table: {
        columns: ["method", "ratio to the baseline", "low", "high", "verdict"],
        rows: rows.map((row, i) => [row.method, points[i].effect, points[i].low ?? "", points[i].high ?? "", points[i].verdict ?? ""]),
      },
    };
  }

  /** Pixels between a method's row and each of its two marks. */
  const APART = 5;

  /** Published ratios to a base next to those of the run. */
  function published(samples, state, look) {
    const { title, base: of, unit: symbol, rows: all } = runOf(samples, state).published[state.ranking];
    const rows = all.filter((row) => typeof row.ratio === "number");
    const names = rows.map((row) => row.method);
    const both = [
      {
        name: "published",
        down: -APART,
        colour: look.faint,
        points: rows.map(({ method, ratio, error }) => (method === of ? { ratio } : { ratio, low: ratio / (1 + error) ** 2, high: ratio * (1 + error) ** 2 })),
      },
      { name: "here", down: APART, colour: look.text, points: rows.map((row) => ({ ratio: row.method === of ? 1 : row.effect, low: row.low, high: row.high })) },
    ];
    const known = both.flatMap(({ points }) => points.map(({ ratio }) => ratio)).filter((ratio) => ratio > 0);
    const limits = [Math.min(1, ...known) / REACH, Math.max(1, ...known) * REACH];
    const edges = both.flatMap(({ points }) => points.flatMap(({ ratio, low, high }) => [ratio, Math.max(limits[0], low ?? 1), Math.min(limits[1], high ?? 1)]));
    const ends = [Math.min(1, ...edges.filter((x) => x > 0)), Math.max(1, ...edges)];
    const scale = ends[1] / ends[0] > 4 ? logarithmic(ends) : { type: "value", scale: true };
    const says = (name, { ratio, low, high }) => `${name}: ${number(ratio)} ×${low ? ` (${number(low)} to ${number(high)})` : ""}`;
    const option = {
      ...base(look, "Published ratios next to those of the run"),
      legend: legend(look, both.map(({ name }) => name)),
      grid: { left: room(names), right: 30, top: 44, height: names.length * ROW_HEIGHT },
      xAxis: axis(look, { ...scale, name: `ratio to ${of}`, nameGap: 30, axisLabel: { ...scale.axisLabel, formatter: (x) => `${+x.toPrecision(3)} ×` } }),
      yAxis: axis(look, { type: "category", data: names, inverse: true, axisLabel: { interval: 0, width: 170, overflow: "truncate" } }),
      series: both.flatMap(({ name, down, colour: line, points }, order) => [
        {
          type: "scatter",
          name,
          symbol: name === "here" ? "circle" : "diamond",
          symbolSize: 9,
          symbolOffset: [0, down],
          itemStyle: { color: name === "here" ? line : look.ground, borderColor: line, borderWidth: 1.5 },
          data: points.map((point, i) => ({
            value: [point.ratio, i],
            at: names[i],
            order: -order,
            says: says(name, point),
            itemStyle: { opacity: state.focus && state.focus !== names[i] ? DIM : 1 },
          })).filter(({ value }) => value[0] > 0),
        },
        whiskers(
          name,
          points.map(({ low, high }, i) => [i, low, high]).filter(([, low]) => low > 0),
          line,
          { isHorizontal: true, limits: ends, down },
        ),
      ]),
    };
    listed(option, ({ at }) => at);
    return {
      option,
      height: names.length * ROW_HEIGHT + 110,
      caption:
        `${title}. Ratios to ${of}, since machines differ. Whiskers: the error of reading a published figure, where it was read from a chart; ` +
        "the interval of ours, an arrow where it reaches farther.",
      table: {
        columns: ["method", `published${symbol}`, `here${symbol}`, `published ÷ ${of}`, `here ÷ ${of}`, "low", "high", ""],
        rows: all.map((row) => [row.method, row.published, row.ours ?? "", row.ratio ?? "", row.effect ?? "", row.low ?? "", row.high ?? "", row.word]),
      },
    };
  }

  const HEIGHT = 330;

  /** The points of a curve that are marked. */
  const SYMBOL_EVERY = 9;

  /** The latency of all operations together, towards the longest. */
  function percentiles(samples, state, look) {
    const { part } = chosen(samples, state);
    const names = Object.keys(part.curves).filter((name) => !look.isFile || state.shown.includes(name));
    const shown = names.filter((name) => state.shown.includes(name));
    const largest = Math.max(...names.flatMap((name) => part.curves[name].map(([, nanos]) => nanos)));
    const { symbol, one } = unit(metrics(samples).find((each) => each.kind === "time"), state.unit, largest / 100);
    const shares = (percentile) => 1 / Math.max(1e-9, 1 - percentile / 100);
    const curves = names.map((name) => part.curves[name].filter(([percentile]) => percentile < 100));
    const figures = names.flatMap((name, i) => (shown.includes(name) ? curves[i].map(([, nanos]) => nanos / one) : []));
    const scale = state.scale === "linear" ? linear(figures) : logarithmic(figures);
    const down = apart(names.map((name, i) => ({ x: 0, y: -pixels(scale, HEIGHT, curves[i].at(-1)[1] / one), text: shown.includes(name) ? name : "" })));
    const option = {
      ...base(look, "Latency by percentile"),
      legend: legend(look, names, undefined, shown),
      grid: { left: 70, right: room(shown), top: legendHeight(look, names), height: HEIGHT },
      xAxis: axis(look, {
        type: "log",
        name: "percentile",
        nameGap: 34,
        min: 1,
        axisLabel: { formatter: (x) => (x === 1 ? "0 %" : `${+(100 * (1 - 1 / x)).toPrecision(12)} %`) },
      }),
      yAxis: axis(look, {
        ...withFormat(scale),
        name: `latency, ${symbol}`,
        nameGap: 52,
      }),
      series: names.map((name, i) => {
        const { color, dash, symbol: shape, opacity } = colour(samples, look, state, name);
        return {
          type: "line",
          name,
          symbol: shape,
          symbolSize: 7,
          itemStyle: { color, opacity },
          lineStyle: { color, type: dash, width: 2, opacity },
          emphasis: { focus: "series" },
          data: curves[i].map(([percentile, nanos], n) => ({
            value: [shares(percentile), nanos / one],
            symbol: n % SYMBOL_EVERY === i % SYMBOL_EVERY || n === curves[i].length - 1 ? shape : "none",
            at: percentile,
            order: nanos,
            says: `${name}: ${number(nanos / one)} ${symbol}`,
            ...(n === curves[i].length - 1 ? { label: { show: true, position: "right", offset: [0, down[i]], formatter: name, color, opacity } } : {}),
          })),
        };
      }),
    };
    listed(option, ({ at }) => `${+at.toPrecision(8)} % took at most`);
    return {
      option,
      height: legendHeight(look, names) + 400,
      caption: "Service times of all operations of all rounds together, from their histograms.",
      table: {
        columns: ["method", "percentile", `latency, ${symbol}`],
        rows: names.flatMap((name) => part.curves[name].map(([percentile, nanos]) => [name, percentile, nanos / one])),
      },
    };
  }

  const PARTS = [
    ["server", (time) => time.waiting + time.transfer - time.link],
    ["link", (time) => time.link],
    ["client", (time) => time.client],
    ["decode", (time) => time.decode],
    ["pool", (time) => time.pool],
    ["unexplained", (time) => time.unexplained],
  ];

  /** The parts of an operation's time. */
  function parts(samples, state, look) {
    const { ranking } = chosen(samples, state);
    const rows = ranking.methods.filter((row) => row.time_ns_per_op);
    const totals = rows.map((row) => PARTS.reduce((sum, [, of]) => sum + of(row.time_ns_per_op), 0));
    const { symbol, one } = unit(metrics(samples).find((each) => each.kind === "time"), state.unit, Math.max(...totals));
    const parts = PARTS.filter(([, of]) => rows.some((row) => of(row.time_ns_per_op) > 0));
    const option = {
      ...base(look, "Where the time of an operation went"),
      legend: legend(look, parts.map(([name]) => name)),
      grid: { left: room(rows.map((row) => row.method)), right: 30, top: 44, height: rows.length * ROW_HEIGHT },
      xAxis: axis(look, { type: "value", name: `time per operation, ${symbol}`, nameGap: 30, axisLabel: { formatter: short } }),
      yAxis: axis(look, {
        type: "category",
        inverse: true,
        data: rows.map((row) => row.method),
        axisLabel: { interval: 0, width: 170, overflow: "truncate" },
      }),
      series: parts.map(([name, of], n) => ({
        type: "bar",
        name,
        stack: "time",
        itemStyle: { color: look.of(n).color },
        data: rows.map((row, i) => ({
          value: [of(row.time_ns_per_op) / one, i],
          order: -n,
          at: i,
          says: `${name}: ${number(of(row.time_ns_per_op) / one)} ${symbol}, ${Math.round((100 * of(row.time_ns_per_op)) / totals[i])} %`,
        })),
      })),
    };
    option.aria.decal.show = true;
    listed(option, ({ at }) => `${rows[at].method}: ${number(totals[at] / one)} ${symbol}`);
    return {
      option,
      height: rows.length * ROW_HEIGHT + 100,
      caption: "Means over all operations. server: it works and sends; client: the driver reads; decode: the codec unpacks.",
      table: {
        columns: ["method", ...parts.map(([name]) => `${name}, ${symbol}`), "most on"],
        rows: rows.map((row) => [row.method, ...parts.map(([, of]) => of(row.time_ns_per_op) / one), row.time_ns_per_op.most_on]),
      },
    };
  }

  /** One metric against another, and the methods that no other method beats in both. */
  function pareto(samples, state, look) {
    const known = metrics(samples);
    const { run, ranking } = chosen(samples, state);
    const y = known.find((each) => each.id === state.metric) ?? known[0];
    const x = known.find((each) => each.id === state.against) ?? known.find((each) => each.id === "disk") ?? known[0];
    const rows = samples.ofRanking(run, ranking);
    const operation = samples.column("operation");
    const of = (metric) =>
      new Map(
        marks(samples, metric, rows.filter((row) => operation[row] === ranking.operation), ["method"]).map((mark) => [
          mark.levels.method,
          mark.spread.median,
        ]),
      );
    const [xs, ys] = [of(x), of(y)];
    const ranked = ranking.methods.map((row) => row.method);
    const ranges = new Map(
      marks(samples, y, rows.filter((row) => operation[row] === ranking.operation), ["method"]).map((mark) => [mark.levels.method, mark.spread]),
    );
    const names = ranked.filter((name) => xs.has(name) && ys.has(name) && (state.scale !== "log" || (xs.get(name) > 0 && ys.get(name) > 0)));
    const absent = ranked.filter((name) => !names.includes(name));
    const xUnit = unit(x, undefined, Math.max(...xs.values()));
    const yUnit = unit(y, state.unit, Math.max(...ys.values()));
    const isBetter = (metric, a, b) => (metric.is_better_high ? a > b : a < b);
    const isBeaten = (name) =>
      names.some(
        (other) =>
          other !== name &&
          !isBetter(x, xs.get(name), xs.get(other)) &&
          !isBetter(y, ys.get(name), ys.get(other)) &&
          (isBetter(x, xs.get(other), xs.get(name)) || isBetter(y, ys.get(other), ys.get(name))),
      );
    const front = names.filter((name) => !isBeaten(name)).sort((a, b) => xs.get(a) - xs.get(b));
    const place = (name) => [xs.get(name) / xUnit.one, ys.get(name) / yUnit.one];
    const title = (metric, { symbol }) => metric.name + (symbol ? `, ${symbol}` : "");
    const scale = state.scale === "log" ? logarithmic : linear;
    const xScale = scale(names.map((name) => place(name)[0]));
    const yScale = scale(names.flatMap((name) => [ranges.get(name).low, ranges.get(name).high].filter((each) => each > 0 || state.scale !== "log").map((each) => each / yUnit.one)));
    const size = [look.width - 190, 380];
    const down = apart(names.map((name) => ({ x: pixels(xScale, size[0], place(name)[0]), y: -pixels(yScale, size[1], place(name)[1]), text: name })));
    const option = {
      ...base(look, `${y.name} against ${x.name}`),
      grid: { left: 80, right: 110, top: 20, height: 380 },
      xAxis: axis(look, { ...withFormat(xScale), name: title(x, xUnit), nameGap: 30 }),
      yAxis: axis(look, { ...withFormat(yScale), name: title(y, yUnit), nameGap: 56 }),
      series: [
        {
          type: "line",
          name: "front",
          silent: true,
          symbol: "none",
          lineStyle: { color: look.faint, type: "dashed" },
          data: front.map(place),
        },
        {
          type: "scatter",
          name: "methods",
          symbolSize: 12,
          data: names.map((name, i) => {
            const { color, symbol, opacity } = colour(samples, look, state, name);
            return {
              name,
              value: place(name),
              symbol,
              itemStyle: { color, opacity },
              label: { show: true, formatter: name, position: "right", offset: [0, down[i]], color: look.text, opacity },
              says: `${name}: ${number(place(name)[0])} ${xUnit.symbol}, ${number(place(name)[1])} ${yUnit.symbol}`,
            };
          }),
        },
        whiskers(
          "range",
          names.map((name) => [place(name)[0], ranges.get(name).low / yUnit.one, ranges.get(name).high / yUnit.one]),
          look.faint,
        ),
      ],
    };
    option.tooltip.formatter = (point) => point.data?.says ?? "";
    return {
      option,
      height: 470,
      caption:
        `The dashed line joins the methods that no other beats in both, by their medians: ${front.join(", ")}. Whiskers go from the lowest round to the highest.` +
        (absent.length ? ` Without one of the figures: ${absent.join(", ")}.` : ""),
      table: {
        columns: ["method", title(x, xUnit), title(y, yUnit), "on the front"],
        rows: names.map((name) => [name, ...place(name), front.includes(name) ? "yes" : "no"]),
      },
    };
  }

  /** The winner over two factors; hatched where others are not distinguishable from it. */
  function regimes(samples, state, look) {
    const { x, facet: y } = state;
    const cells = new Map();
    const filters = Object.entries(state.filters).filter(([factor]) => factor !== "operation");
    for (const run of samples.runs) {
      for (const ranking of run.report.rankings) {
        const at = (factor) => (factor === "run" ? run.label : ranking.condition[factor]);
        const isIn =
          !ranking.sizes &&
          ranking.best &&
          (!state.filters.operation || ranking.operation === state.filters.operation) &&
          filters.every(([factor, wanted]) => at(factor) === undefined || at(factor) === wanted);
        if (isIn && at(x) !== undefined && at(y) !== undefined) {
          const key = JSON.stringify([at(x), at(y)]);
          const best = ranking.methods.find((row) => row.method === ranking.best);
          cells.set(key, [...(cells.get(key) ?? []), { best: ranking.best, ties: ranking.tied_with_best, effect: best.to_baseline?.value }]);
        }
      }
    }
    const keys = [...cells.keys()].map((key) => JSON.parse(key));
    const levels = (factor, i) => samples.levels(factor).filter((each) => keys.some((key) => key[i] === each));
    const [xs, ys] = [levels(x, 0), levels(y, 1)];
    const found = keys.map((key) => {
      const winnersOf = cells.get(JSON.stringify(key));
      const winners = [...new Set(winnersOf.map((each) => each.best))];
      return {
        key,
        winner: winners.length === 1 ? winners[0] : "differs",
        ties: [...new Set(winnersOf.flatMap((each) => each.ties))],
        effect: winnersOf.length === 1 ? winnersOf[0].effect : undefined,
      };
    });
    const winners = [...new Set(found.map((cell) => cell.winner))].sort((a, b) => samples.methods.indexOf(a) - samples.methods.indexOf(b));
    const option = {
      ...base(look, "The winning method over two factors"),
      legend: legend(look, winners),
      grid: { left: 150, right: 20, top: legendHeight(look, winners), height: Math.max(140, ys.length * 56) },
      xAxis: axis(look, { type: "category", data: xs, name: x, nameGap: 34, splitLine: { show: false }, axisLabel: { interval: 0, formatter: (text) => level(samples, x, text) } }),
      yAxis: axis(look, { type: "category", data: ys, name: y, nameGap: 120, axisLabel: { interval: 0, width: 100, overflow: "truncate", formatter: (text) => level(samples, y, text) } }),
      series: winners.map((winner) => {
        const color = winner === "differs" ? look.faint : look.of(samples.methods.indexOf(winner)).color;
        const opacity = state.focus && state.focus !== winner ? DIM : 1;
        const won = found.filter((cell) => cell.winner === winner);
        return {
          type: "custom",
          name: winner,
          itemStyle: { color },
          encode: { x: 0, y: 1 },
          data: won.map((cell) => ({
            value: [xs.indexOf(cell.key[0]), ys.indexOf(cell.key[1]), cell.ties.length],
            says:
              `${cell.winner}` +
              (cell.effect ? `: ${number(cell.effect)} times the baseline` : "") +
              (cell.ties.length ? `\nnot distinguishable from ${cell.ties.join(", ")}` : ""),
          })),
          renderItem(params, api) {
            const [centerX, centerY] = api.coord([api.value(0), api.value(1)]);
            const [width, height] = api.size([1, 1]);
            const [left, top] = [centerX - width / 2 + 1, centerY - height / 2 + 1];
            const shape = { x: left, y: top, width: width - 2, height: height - 2 };
            const children = [{ type: "rect", shape, style: { fill: color, opacity: opacity * 0.85 } }];
            if (api.value(2) > 0) {
              for (let offset = 8; offset < shape.width + shape.height; offset += 10) {
                children.push({
                  type: "line",
                  shape: {
                    x1: left + Math.min(offset, shape.width),
                    y1: top + Math.max(0, offset - shape.width),
                    x2: left + Math.max(0, offset - shape.height),
                    y2: top + Math.min(offset, shape.height),
                  },
                  style: { stroke: look.ground, lineWidth: 2.5, opacity: opacity * 0.8 },
                });
              }
            }
            children.push({
              type: "text",
              style: {
                text: winner + (api.value(2) > 0 ? " ≈" : ""),
                x: centerX,
                y: centerY,
                align: "center",
                verticalAlign: "middle",
                fill: look.text,
                backgroundColor: look.ground,
                padding: [2, 4],
                borderRadius: 3,
                fontSize: 11,
                width: width - 16,
                overflow: "truncate",
              },
            });
            return { type: "group", children };
          },
        };
      }),
    };
    option.tooltip.formatter = (point) => point.data?.says ?? "";
    return {
      option,
      height: legendHeight(look, winners) + Math.max(140, ys.length * 56) + 70,
      caption: "The method that is ahead under each condition; hatched, and marked ≈, where others are not distinguishable from it.",
      table: {
        columns: [x, y, "best", "not distinguishable from it", "times the baseline"],
        rows: found.map((cell) => [level(samples, x, cell.key[0]), level(samples, y, cell.key[1]), cell.winner, cell.ties.join(", "), cell.effect ?? ""]),
      },
    };
  }

  /** Throughput over the bandwidth of a link, predicted from the parts of the time, with the trials over emulated links. */
  function links(samples, state, look) {
    const { forecasts } = runOf(samples, state);
    const forecast = forecasts.find((each) => each.ranking === state.ranking) ?? forecasts[0];
    const names = Object.keys(forecast.curves).filter((name) => !look.isFile || state.shown.includes(name));
    const own = forecast.checks.filter((check) => check.bits_per_s);
    const at = (name, bits) => {
      const xs = forecast.bits_per_s;
      const i = Math.max(1, xs.findIndex((x) => x >= bits));
      const share = Math.log(bits / xs[i - 1]) / Math.log(xs[i] / xs[i - 1]);
      const [a, b] = [forecast.curves[name][i - 1], forecast.curves[name][i]];
      return Math.exp(Math.log(a) + share * Math.log(b / a));
    };
    const [slowest, fastest] = [forecast.bits_per_s[0], forecast.bits_per_s.at(-1)];
    const leads = (crossing) => {
      if (8 * crossing.at < slowest || 8 * crossing.at > fastest) {
        return false;
      }
      const best = Math.max(...names.map((name) => at(name, 8 * crossing.at)));
      return at(crossing.method, 8 * crossing.at) > 0.98 * best;
    };
    const option = {
      ...base(look, "Throughput over the bandwidth of the link"),
      legend: legend(look, names, undefined, state.shown),
      grid: { left: 70, right: 30, top: legendHeight(look, names), height: 380 },
      xAxis: axis(look, { type: "log", name: "bandwidth of the link", nameGap: 34, min: 1e6, axisLabel: { formatter: bandwidth } }),
      yAxis: axis(look, { type: state.scale === "linear" ? "value" : "log", name: "throughput, MB/s", nameGap: 52, axisLabel: { formatter: short } }),
      series: names.map((name) => {
        const { color, dash, opacity } = colour(samples, look, state, name);
        return {
          type: "line",
          name,
          symbol: "none",
          itemStyle: { color, opacity },
          lineStyle: { color, type: dash, width: 2, opacity },
          emphasis: { focus: "series" },
          data: forecast.bits_per_s.map((bits, i) => [bits, forecast.curves[name][i] / 1e6]),
        };
      }),
    };
    names.forEach((name) => {
      const { color, symbol, opacity } = colour(samples, look, state, name);
      option.series.push({
        type: "scatter",
        name,
        symbol,
        symbolSize: 9,
        itemStyle: { color, opacity, borderColor: look.text, borderWidth: 1 },
        data: own
          .filter((check) => check.method === name)
          .map((check) => ({
            value: [check.bits_per_s, check.measured / 1e6],
            says: `${name} over ${check.link}: measured ${number(check.measured / 1e6)} MB/s, predicted ${number(check.predicted / 1e6)}`,
          })),
      });
    });
    option.series.push({
      type: "scatter",
      name: "equal",
      symbol: "circle",
      symbolSize: 13,
      itemStyle: { color: "transparent", borderColor: look.text, borderWidth: 1.5 },
      data: forecast.crossings.filter(leads).map((crossing) => ({
        value: [8 * crossing.at, at(crossing.method, 8 * crossing.at) / 1e6],
        says: `${crossing.method} and ${crossing.other} are equal at ${bandwidth(8 * crossing.at)}`,
      })),
    });
    option.tooltip.formatter = (point) => point.data?.says ?? point.seriesName;
    return {
      option,
      height: legendHeight(look, names) + 450,
      caption:
        "Lines are predicted from where the time went over the machine's own link; points were measured over emulated links, some with a round" +
        " trip besides. Circles: the fastest two are equal.",
      table: {
        columns: ["one", "other", "equal at, Mbit/s", "lowest fork", "highest fork", "measured"],
        rows: forecast.crossings.map((crossing) => [
          crossing.method,
          crossing.other,
          (8 * crossing.at) / 1e6,
          crossing.by_fork.length ? (8 * crossing.by_fork[0]) / 1e6 : "",
          crossing.by_fork.length ? (8 * crossing.by_fork.at(-1)) / 1e6 : "",
          crossing.measured?.at ? (8 * crossing.measured.at) / 1e6 : "",
        ]),
      },
    };
  }

  Object.assign(blobmark, { runOf, forest, published, percentiles, parts, pareto, regimes, links });
})((globalThis.blobmark ??= {}));
