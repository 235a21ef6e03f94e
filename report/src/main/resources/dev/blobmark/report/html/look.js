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

  /** @param width of the chart in pixels, which decides the line breaks of legends */
  function look(isDark, width, font = SCREEN_FONT) {
    const colours = isDark ? DARK : LIGHT;
    return {
      width,
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
        renderMode: "richText",
        backgroundColor: look.ground,
        borderColor: look.line,
        textStyle: { color: look.text, fontSize: 12 },
      },
    };
  }

  function legend(look, names, formatter = (name) => name) {
    return {
      type: "plain",
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

  /** An axis of any type. */
  function axis(look, more) {
    return {
      nameLocation: "middle",
      nameTextStyle: { color: look.text },
      axisLine: { show: true, lineStyle: { color: look.faint } },
      axisTick: { lineStyle: { color: look.faint } },
      splitLine: { show: more.type !== "category", lineStyle: { color: look.line } },
      minorSplitLine: { show: false },
      ...more,
      axisLabel: { color: look.text, hideOverlap: true, ...more.axisLabel },
    };
  }

  /** Lines from low to high with short ends, at each point of a series. */
  function whiskers(name, data, colour, { isHorizontal = false, at = {}, opacity = 0.8 } = {}) {
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
        const place = (value) => (isHorizontal ? api.coord([value, api.value(0)]) : api.coord([api.value(0), value]));
        const [low, high] = [place(api.value(1)), place(api.value(2))];
        const end = isHorizontal ? [0, 4] : [4, 0];
        const style = { stroke: colour, lineWidth: 1.5, opacity };
        const line = (from, to) => ({ type: "line", shape: { x1: from[0], y1: from[1], x2: to[0], y2: to[1] }, style });
        const across = (point) => line([point[0] - end[0], point[1] - end[1]], [point[0] + end[0], point[1] + end[1]]);
        return { type: "group", children: [line(low, high), across(low), across(high)] };
      },
    };
  }

  Object.assign(blobmark, { look, base, legend, legendHeight, axis, whiskers, DIM });
})((globalThis.blobmark ??= {}));
