// Metrics of samples, and the format of their figures.
((blobmark) => {
  "use strict";

  /** Units by kind, the usual one first: a symbol and the size of the unit. */
  const UNITS = {
    rate: [["MB/s", 1e6], ["GB/s", 1e9], ["MiB/s", 1048576], ["Gbit/s", 1.25e8], ["KB/s", 1e3]],
    time: [["µs", 1e3], ["ms", 1e6], ["ns", 1], ["s", 1e9]],
    bytes: [["KB", 1024], ["MB", 1048576], ["bytes", 1], ["GB", 1073741824]],
    count: [["", 1], ["thousand", 1e3], ["million", 1e6]],
    ratio: [["", 1]],
    score: [["", 1]],
  };

  /** The metrics of all runs with at least one known figure. */
  function metrics(samples) {
    if (!samples.known) {
      const all = new Map(samples.runs.flatMap((run) => run.metrics).map((each) => [each.id, each]));
      samples.known = [...all.values()].filter((each) => values(samples, each).some((value) => typeof value === "number" && value !== 0));
    }
    return samples.known;
  }

  /** The figure of each row; null if nothing was measured, even if there was a table. */
  function values(samples, metric) {
    samples.figures ??= new Map();
    if (!samples.figures.has(metric.id)) {
      const count = samples.column("count");
      samples.figures.set(metric.id, samples.column(metric.column).map((figure, row) => (typeof count[row] === "number" ? figure : null)));
    }
    return samples.figures.get(metric.id);
  }

  /** The unit of this name, or the one in which the largest figure has one to four digits before the point. */
  function unit(metric, name, largest) {
    const units = UNITS[metric.kind];
    const named = units.find(([symbol]) => symbol === name);
    if (named || metric.kind === "score" || metric.kind === "count") {
      return { symbol: named?.[0] ?? metric.unit, one: named?.[1] ?? 1 };
    }
    const fitting = [...units]
      .filter(([symbol]) => !/MiB|Gbit|KB\/s/.test(symbol))
      .sort((a, b) => b[1] - a[1])
      .find(([, one]) => largest >= one);
    const [symbol, one] = metric.kind === "rate" ? units[0] : (fitting ?? units[0]);
    return { symbol, one };
  }

  /** Whole numbers in full, others in three significant digits. */
  function number(x) {
    if (typeof x !== "number" || !Number.isFinite(x)) {
      return "";
    }
    if (Number.isInteger(x)) {
      return String(x);
    }
    if (Math.abs(x) < 1e-3) {
      return x.toPrecision(3);
    }
    const decimals = Math.max(0, Math.min(4, 2 - Math.floor(Math.log10(Math.abs(x)))));
    return x.toFixed(decimals);
  }

  /** A level as text for people. */
  function level(samples, factor, text) {
    if (factor === "size" && /^\d+$/.test(text)) {
      return bytes(Number(text));
    }
    if (factor === "link" && text === "loopback" && samples.runs.some((run) => run.is_remote)) {
      return "direct"; // as in the text of the page: the server is on another host
    }
    if (factor === "size") {
      return text.replace(/^(\d+)(KB|MB|GB)$/, "$1 $2");
    }
    return factor === "threads" ? `${text} thread${text === "1" ? "" : "s"}` : text;
  }

  /** Bytes as sizes of values are written: 64 KB are 65,536 bytes. */
  function bytes(n) {
    const [symbol, one] = [["GB", 1073741824], ["MB", 1048576], ["KB", 1024]].find(([, each]) => n >= each) ?? ["bytes", 1];
    return `${number(n / one)} ${symbol}`;
  }

  /** Bits per second as links are written. */
  function bandwidth(bits) {
    return bits >= 1e9 ? `${number(bits / 1e9)} Gbit/s` : bits >= 1e6 ? `${number(bits / 1e6)} Mbit/s` : `${number(bits / 1e3)} kbit/s`;
  }

  Object.assign(blobmark, { UNITS, metrics, values, unit, number, level, bytes, bandwidth });
})((globalThis.blobmark ??= {}));
