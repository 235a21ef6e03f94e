// The samples of one or several runs by column, with queries.
((blobmark) => {
  "use strict";

  const SEPARATOR = "\u0001";

  /** The column of a factor; methods, operations and runs are chosen like factors. */
  const PLAIN = { method: "method", operation: "operation", values: "values", run: "run" };

  function unpack(packed, length) {
    if ("all" in packed) {
      return new Array(length).fill(packed.all);
    }
    return "texts" in packed ? packed.index.map((i) => packed.texts[i]) : packed.numbers;
  }

  class Samples {
    constructor(runs) {
      this.runs = runs;
      this.length = runs.reduce((sum, run) => sum + run.rows.length, 0);
      this.names = [...new Set(runs.flatMap((run) => Object.keys(run.rows.columns)))];
      this.columns = new Map();
      this.allLevels = new Map();
      this.conditionFactors = [
        ...new Set(runs.flatMap((run) => run.report.rankings.flatMap((ranking) => Object.keys(ranking.condition)))),
      ];
      this.methods = this.levels("method");
    }

    /** An entry for each row: a text, a number, or null if unknown. */
    column(name) {
      if (!this.columns.has(name)) {
        this.columns.set(
          name,
          this.runs.flatMap((run) => {
            const length = run.rows.length;
            if (name === "run") {
              return new Array(length).fill(run.label);
            }
            const packed = run.rows.columns[name];
            return packed ? unpack(packed, length) : new Array(length).fill(null);
          }),
        );
      }
      return this.columns.get(name);
    }

    of(factor) {
      return this.column(PLAIN[factor] ?? `factor.${factor}`);
    }

    /** Bytes of a size, bits per second of a link, or the number that a level is; undefined for others. */
    amount(factor, level) {
      const known = this.runs.map((run) => run.amounts[factor]?.[level]).find((amount) => amount !== undefined);
      return known ?? (/^\d+(\.\d+)?$/.test(level) ? Number(level) : undefined);
    }

    /**
     * Levels of a factor that occur in the rows: by amount; methods in the order of the study; all types of operation
     * together before each type.
     */
    levels(factor, rows) {
      if (rows) {
        return this.levelsIn(factor, rows);
      }
      if (!this.allLevels.has(factor)) {
        this.allLevels.set(factor, this.levelsIn(factor));
      }
      return this.allLevels.get(factor);
    }

    levelsIn(factor, rows) {
      const column = this.of(factor);
      const found = new Set(rows ? rows.map((row) => column[row]) : column);
      const levels = [...found].filter((level) => level !== "" && level !== null);
      const written = factor === "method" ? this.runs.flatMap((run) => run.methods) : factor === "operation" ? ["mix"] : [];
      const place = (level) => (written.includes(level) ? written.indexOf(level) : written.length);
      const amount = (level) => this.amount(factor, level) ?? Infinity;
      const rising = (a, b) => (a === b ? 0 : a - b);
      return levels.sort(
        (one, other) =>
          rising(amount(one), amount(other)) || place(one) - place(other) || one.localeCompare(other, "en", { numeric: true }),
      );
    }

    /** Factors that can be an axis, series or facets. */
    varying() {
      const candidates = ["method", "operation", ...this.conditionFactors];
      if (this.runs.length > 1) {
        candidates.push("run");
      }
      return candidates.filter((factor) => this.levels(factor).length > 1);
    }

    /** Numbers of the rows that have all of these levels. Rows of one size class count only if the class is chosen. */
    select(levels) {
      const wanted = Object.entries({ values: "", ...levels }).map(([factor, level]) => [this.of(factor), level]);
      const rows = [];
      for (let row = 0; row < this.length; row++) {
        if (wanted.every(([column, level]) => (column[row] ?? "") === level)) {
          rows.push(row);
        }
      }
      return rows;
    }

    /** The rows of a ranking. */
    ofRanking(run, ranking) {
      const levels = { ...ranking.condition };
      if (this.runs.length > 1) {
        levels.run = run.label;
      }
      return this.select(levels);
    }

    /** Rows that agree in some factors, in the order of their levels. */
    groups(rows, factors) {
      const columns = factors.map((factor) => this.of(factor));
      const groups = new Map();
      for (const row of rows) {
        const levels = columns.map((column) => column[row] ?? "");
        const key = levels.join(SEPARATOR);
        if (!groups.has(key)) {
          groups.set(key, { levels: Object.fromEntries(factors.map((factor, i) => [factor, levels[i]])), rows: [] });
        }
        groups.get(key).rows.push(row);
      }
      const places = factors.map((factor) => new Map(this.levels(factor, rows).map((level, i) => [level, i])));
      const place = (group, i) => places[i].get(group.levels[factors[i]]) ?? -1;
      return [...groups.values()].sort((a, b) => factors.reduce((by, _, i) => by || place(a, i) - place(b, i), 0));
    }
  }

  /** More lines in a chart cannot be followed. */
  const MOST_SERIES = 6;

  /** The methods that charts of methods show before a reader chooses: the baseline, and those that are ahead most often. */
  function leading(samples) {
    if (!samples.leading) {
      const points = new Map(samples.methods.map((method) => [method, 0]));
      for (const { report } of samples.runs) {
        const add = (method, more) => points.set(method, (points.get(method) ?? 0) + more);
        for (const ranking of report.rankings.filter((each) => !each.sizes)) {
          ranking.methods.forEach(({ method }, place) => add(method, method === report.control ? -1 : 1 / (1 + place)));
        }
        add(report.baseline, Infinity);
      }
      const best = [...points].sort((a, b) => b[1] - a[1]).slice(0, MOST_SERIES).map(([method]) => method);
      samples.leading = samples.methods.filter((method) => best.includes(method));
    }
    return samples.leading;
  }

  /** The median and the range of the rounds; undefined if unknown. */
  function spread(values) {
    const known = values.filter((value) => typeof value === "number").sort((a, b) => a - b);
    const n = known.length;
    return n === 0
      ? undefined
      : { median: (known[(n - 1) >> 1] + known[n >> 1]) / 2, low: known[0], high: known[n - 1], rounds: n };
  }

  Object.assign(blobmark, { Samples, leading, spread });
})((globalThis.blobmark ??= {}));
