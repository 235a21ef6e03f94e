// The charts of a run as files, drawn without a browser.
((blobmark) => {
  "use strict";

  const WIDTH = 1000;

  /** @param page JSON of the runs */
  blobmark.files = (page) =>
    blobmark.drawings(blobmark.open(JSON.parse(page)), WIDTH).map(({ id, name, option, height }) => {
      const chart = echarts.init(null, null, { renderer: "svg", ssr: true, width: WIDTH, height });
      chart.setOption(option);
      const svg = chart.renderToSVGString().replace(/<style[^]*?<\/style>/g, ""); // styles for a pointer over a mark
      chart.dispose();
      return { id, name, svg };
    });
})((globalThis.blobmark ??= {}));
