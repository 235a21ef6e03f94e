// Metrics of samples, and how their figures are written.
((blobmark) => {
  "use strict";

  const column = (name) => (samples) => samples.column(name);

  const perOperation = (name) => (samples) => {
    const [total, count] = [samples.column(name), samples.column("count")];
    return total.map((bytes, row) => (typeof bytes === "number" && count[row] ? bytes / count[row] : null));
  };

  const ratio = (samples) => {
    const [application, stored] = [samples.column("application_bytes"), samples.column("stored_bytes")];
    return application.map((bytes, row) => (stored[row] > 0 ? bytes / stored[row] : null));
  };

  const metric = (id, name, kind, of, isBetterHigh = false) => ({ id, name, kind, of, isBetterHigh });

  /** By the words that a study file uses; disk-used is not one of them. */
  const METRICS = [
    metric("throughput", "throughput", "rate", column("throughput_bytes_per_s"), true),
    metric("operations", "operations per second", "count", column("operations_per_s"), true),
    metric("mean", "mean latency", "time", column("latency_ns_mean")),
    metric("p50", "median latency", "time", column("latency_ns_p50")),
    metric("p90", "p90 latency", "time", column("latency_ns_p90")),
    metric("p95", "p95 latency", "time", column("latency_ns_p95")),
    metric("p99", "p99 latency", "time", column("latency_ns_p99")),
    metric("p999", "p99.9 latency", "time", column("latency_ns_p999")),
    metric("max", "longest operation", "time", column("latency_ns_max")),
    metric("response-p50", "median response time", "time", column("response_ns_p50")),
    metric("response-p99", "p99 response time", "time", column("response_ns_p99")),
    metric("response-p999", "p99.9 response time", "time", column("response_ns_p999")),
    metric("compression-ratio", "compression ratio", "ratio", ratio, true),
    metric("disk", "disk of the table", "bytes", column("disk_bytes")),
    metric("disk-used", "used disk of the table", "bytes", column("disk_used_bytes")),
    metric("elapsed", "time of the window", "time", column("elapsed_ns")),
    metric("cpu", "client CPU per operation", "time", column("client_cpu_ns_per_op")),
    metric("server-cpu", "server CPU per operation", "time", column("server_cpu_ns_per_op")),
    metric("allocation", "bytes allocated per operation", "bytes", column("allocated_bytes_per_op")),
    metric("wire-in", "bytes received per operation", "bytes", perOperation("wire_bytes_in")),
    metric("wire-out", "bytes sent per operation", "bytes", perOperation("wire_bytes_out")),
    metric("pages-read", "pages read per operation", "count", column("pages_read_per_op")),
    metric("round-trips", "round trips to data nodes per operation", "count", column("round_trips_per_op")),
    metric("waiting", "time waiting", "time", column("time_ns_waiting")),
    metric("transfer", "time of transfer", "time", column("time_ns_transfer")),
    metric("client", "time in the driver", "time", column("time_ns_client")),
    metric("decode", "time in the codec", "time", column("time_ns_decode")),
    metric("pool", "time for a connection", "time", column("time_ns_pool")),
  ];

  /** Units by kind, the usual one first: a symbol and how much of it one is. */
  const UNITS = {
    rate: [["MB/s", 1e6], ["GB/s", 1e9], ["MiB/s", 1048576], ["Gbit/s", 1.25e8], ["KB/s", 1e3]],
    time: [["µs", 1e3], ["ms", 1e6], ["ns", 1], ["s", 1e9]],
    bytes: [["KB", 1024], ["MB", 1048576], ["bytes", 1], ["GB", 1073741824]],
    count: [["", 1], ["thousand", 1e3], ["million", 1e6]],
    ratio: [["", 1]],
    score: [["", 1]],
  };

  /** Metrics of which something is known, with those of other tools. */
  function metrics(samples) {
    if (!samples.known) {
      const scores = samples.runs.flatMap((run) => run.scores);
      const own = scores.map((score) => ({
        ...metric(score.column, score.name, "score", column(score.column), score.higherIsBetter),
        unit: score.unit,
      }));
      const all = [...new Map([...METRICS, ...own].map((each) => [each.id, each])).values()];
      samples.known = all.filter((each) => values(samples, each).some((value) => typeof value === "number" && value !== 0));
    }
    return samples.known;
  }

  /** The figure of each row; null where nothing was measured, though a table may have been there. */
  function values(samples, metric) {
    samples.figures ??= new Map();
    if (!samples.figures.has(metric.id)) {
      const count = samples.column("count");
      samples.figures.set(metric.id, metric.of(samples).map((figure, row) => (typeof count[row] === "number" ? figure : null)));
    }
    return samples.figures.get(metric.id);
  }

  /** The unit of this name, or the one in which the largest figure has one to four digits before the point. */
  function unit(metric, name, largest) {
    const units = UNITS[metric.kind];
    const named = units.find(([symbol]) => symbol === name);
    if (named || metric.kind === "score" || metric.kind === "count") {
      return { symbol: named?.[0] ?? metric.unit ?? "", one: named?.[1] ?? 1 };
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

  /** A level as people write it. */
  function level(samples, factor, text) {
    if (factor === "size" && /^\d+$/.test(text)) {
      return bytes(Number(text));
    }
    if (factor === "size") {
      return text.replace(/^(\d+)(KB|MB|GB)$/, "$1 $2");
    }
    return factor === "threads" ? `${text} thread${text === "1" ? "" : "s"}` : text;
  }

  function bytes(n) {
    return n >= 1e6 ? `${number(n / 1e6)} MB` : n >= 1e3 ? `${number(n / 1e3)} kB` : `${n} bytes`;
  }

  /** Bits per second as links are written. */
  function bandwidth(bits) {
    return bits >= 1e9 ? `${number(bits / 1e9)} Gbit/s` : bits >= 1e6 ? `${number(bits / 1e6)} Mbit/s` : `${number(bits / 1e3)} kbit/s`;
  }

  Object.assign(blobmark, { UNITS, metrics, values, unit, number, level, bandwidth });
})((globalThis.blobmark ??= {}));
