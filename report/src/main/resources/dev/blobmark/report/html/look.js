// How charts look: colours that colour-blind readers can distinguish (Okabe and Ito, 2008), each with a symbol, a dash
// and a pattern, because a chart may be printed in grey.
((blobmark) => {
  "use strict";

  const LIGHT = ["#0072b2", "#d55e00", "#009e73", "#b0508a", "#b37400", "#2f8fc4", "#333333", "#857500"];
  const DARK = ["#56b4e9", "#ff8a3d", "#2fcf9f", "#e79ac6", "#e69f00", "#8fd0f5", "#dddddd", "#f0e442"];
  const CROSS = "path://M0,3 L3,0 L5,2 L7,0 L10,3 L8,5 L10,7 L7,10 L5,8 L3,10 L0,7 L2,5 Z";
  const HANGING = "path://M0,0 L10,0 L5,9 Z";
  const SYMBOLS = ["circle", "rect", "triangle", "diamond", CROSS, HANGING, "roundRect"];
  const DASHES = ["solid", "dashed", "dotted", [8, 3, 2, 3]];

  /** Opacity of what is not highlighted. */
  const DIM = 0.12;

  const SCREEN_FONT = "system-ui, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";

  const LEGEND_LINE = 31;

  /**
   * @param width of the chart in pixels, which decides the line breaks of legends
   * @param isFile whether nobody can click on the legend
   */
  function look(isDark, width, font = SCREEN_FONT, isFile = false) {
    const colours = isDark ? DARK : LIGHT;
    return {
      width,
      isFile,
      font,
      text: isDark ? "#e6e6e6" : "#1f2328",
      faint: isDark ? "#a3abb5" : "#57606a",
      line: isDark ? "#3d444d" : "#d0d7de",
      ground: isDark ? "#15191f" : "#ffffff",
      band: isDark ? "rgba(255,255,255,.07)" : "rgba(0,0,0,.06)",
      /** The style of the nth method, the same in all charts. */
      of: (n) => ({
        color: colours[n % colours.length],
        symbol: SYMBOLS[n % SYMBOLS.length],
        dash: DASHES[Math.floor(n / colours.length) % DASHES.length],
      }),
    };
  }

  /** Options that all charts have in common. */
  function base(look, label) {
    return {
      animation: false,
      useUTC: true,
      backgroundColor: look.ground,
      textStyle: { fontFamily: look.font, color: look.text },
      aria: { enabled: true, label: { description: label }, decal: { show: false } },
      tooltip: {
        trigger: "item",
        confine: true,
        axisPointer: { type: "shadow", shadowStyle: { color: look.band } },
        renderMode: "richText",
        backgroundColor: look.ground,
        borderColor: look.line,
        textStyle: { color: look.text, fontSize: 12 },
      },
    };
  }

  /** @param shown names of the series that are drawn; the others are drawn after a click */
  function legend(look, names, formatter = (name) => name, shown = names) {
    return {
      type: "plain",
      selected: Object.fromEntries(names.map((name) => [name, shown.includes(name)])),
      top: 4,
      left: 0,
      right: 0,
      itemGap: 14,
      data: names,
      formatter,
      textStyle: { color: look.text },
      inactiveColor: look.faint,
    };
  }

  /** Height of a legend, by the average width of letters. */
  function legendHeight(look, names, formatter = (name) => name) {
    let [lines, x] = [1, 0];
    for (const name of names) {
      const width = 7.2 * formatter(name).length + 50;
      if (x + width > look.width) {
        [lines, x] = [lines + 1, 0];
      }
      x += width;
    }
    return 12 + lines * LEGEND_LINE;
  }

  /** Room for the longest of these texts. */
  const room = (texts) => 16 + Math.max(0, ...texts.map((text) => 7 * text.length));

  /** A tooltip that lists the marks of all series at a place, the largest first. @param title of the place */
  function listed(option, title) {
    option.tooltip.trigger = "axis";
    option.tooltip.formatter = (points) => {
      const marks = points.filter((point) => point.data?.says !== undefined).sort((a, b) => b.data.order - a.data.order);
      return marks.length ? [title(marks[0].data, marks), ...marks.map((mark) => mark.data.says)].join("\n") : "";
    };
  }

  /** Numbers 1, 2 and 5 times a power of ten from low to high, or powers of ten alone if there are many. */
  function steps(low, high) {
    const found = [];
    for (let power = Math.floor(Math.log10(low)) - 1; power <= Math.ceil(Math.log10(high)); power++) {
      found.push(...[1, 2, 5].map((step) => Number(`${step}e${power}`)));
    }
    const from = found.findLastIndex((each) => each <= low * (1 + 1e-9));
    const to = found.findIndex((each) => each >= high * (1 - 1e-9));
    const all = found.slice(Math.max(0, from), to < 0 ? undefined : to + 1);
    const powers = all.filter((each) => /^1/.test(each.toExponential()));
    return powers.length > 3 ? { low: all[0], high: all.at(-1), ticks: powers } : { low: all[0], high: all.at(-1), ticks: all };
  }

  /** A linear axis that begins and ends near its figures. */
  function linear(figures) {
    const [low, high] = [Math.min(...figures), Math.max(...figures)];
    const rough = (high - low || Math.abs(high) || 1) / 5;
    const power = 10 ** Math.floor(Math.log10(rough));
    const interval = [1, 2, 5, 10].map((step) => step * power).find((step) => step >= rough * 0.999);
    const whole = (x) => Number((x * interval).toPrecision(12));
    return { type: "value", min: whole(Math.floor(low / interval + 1e-9)), max: whole(Math.ceil(high / interval - 1e-9) + (low === high ? 1 : 0)), interval };
  }

  /** Where a figure is on an axis of these pixels, from its low end. */
  function pixels({ type, min, max }, length, figure) {
    const at = type === "log" ? Math.log : (x) => x;
    return (length * (at(figure) - at(min))) / (at(max) - at(min));
  }

  const LABEL_HEIGHT = 14;

  /** Distances in pixels by which labels that would overlap are moved down. @param labels their middles x and y, and texts */
  function apart(labels) {
    const placed = [];
    const order = labels.map((_, i) => i).sort((a, b) => labels[a].y - labels[b].y);
    for (const i of order) {
      const { x, y, text } = labels[i];
      let down = 0;
      for (const other of placed) {
        const isBelow = y + down < other.y + LABEL_HEIGHT;
        if (isBelow && x < other.x + room([other.text]) && other.x < x + room([text])) {
          down = other.y + LABEL_HEIGHT - y;
        }
      }
      placed.push({ i, x, y: y + down, text, down });
    }
    return labels.map((_, i) => placed.find((each) => each.i === i).down);
  }

  /** A logarithmic axis that begins and ends near its figures. */
  function logarithmic(figures) {
    const { low, high, ticks } = steps(Math.min(...figures), Math.max(...figures));
    return { type: "log", min: low, max: high > low ? high : 10 * low, axisTick: { customValues: ticks }, axisLabel: { customValues: ticks } };
  }

  /** An axis of any type. */
  function axis(look, more) {
    return {
      nameLocation: "middle",
      nameTextStyle: { color: look.text },
      axisLine: { show: true, lineStyle: { color: look.faint } },
      splitLine: { show: more.type !== "category", lineStyle: { color: look.line } },
      minorSplitLine: { show: false },
      ...more,
      axisTick: { lineStyle: { color: look.faint }, ...more.axisTick },
      axisLabel: { color: look.text, hideOverlap: true, ...more.axisLabel },
    };
  }

  /**
   * Lines from low to high with short ends, at each point of a series.
   *
   * @param limits ends beyond them are drawn as arrows at the limit
   * @param shift of the line in pixels, from the width of a category
   */
  function whiskers(name, data, colour, { isHorizontal = false, down = 0, at = {}, opacity = 0.8, limits = [-Infinity, Infinity], shift = () => 0 } = {}) {
    return {
      type: "custom",
      name,
      ...at,
      silent: true,
      z: 3,
      data,
      itemStyle: { color: colour },
      encode: isHorizontal ? { x: [1, 2], y: 0 } : { x: 0, y: [1, 2] },
      renderItem(params, api) {
        const by = shift(api.size([1, 1])[0]);
        const place = (value) => {
          const within = Math.min(limits[1], Math.max(limits[0], value));
          const [x, y] = isHorizontal ? api.coord([within, api.value(0)]) : api.coord([api.value(0), within]);
          return [x + by, y + down];
        };
        const [low, high] = [place(api.value(1)), place(api.value(2))];
        const end = isHorizontal ? [0, 4] : [4, 0];
        const style = { stroke: colour, lineWidth: 1.5, opacity };
        const line = (from, to) => ({ type: "line", shape: { x1: from[0], y1: from[1], x2: to[0], y2: to[1] }, style });
        const across = (point) => line([point[0] - end[0], point[1] - end[1]], [point[0] + end[0], point[1] + end[1]]);
        const arrow = ([x, y], way) => ({ type: "polygon", shape: { points: [[x, y - 4], [x + 6 * way, y], [x, y + 4]] }, style: { fill: colour, opacity } });
        const edge = (point, isCut, way) => (isCut ? arrow(point, way) : across(point));
        return {
          type: "group",
          children: [line(low, high), edge(low, api.value(1) < limits[0], -1), edge(high, api.value(2) > limits[1], 1)],
        };
      },
    };
  }

  Object.assign(blobmark, { look, base, legend, legendHeight, room, listed, linear, logarithmic, pixels, apart, axis, whiskers, DIM });
})((globalThis.blobmark ??= {}));
