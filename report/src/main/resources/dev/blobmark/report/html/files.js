// The charts of a run as files, drawn without a browser.
((blobmark) => {
  "use strict";

  const WIDTH = 1000;

  /** Charts that are drawn one by one. @param page JSON of the runs */
  blobmark.files = (page) =>
    blobmark.drawings(blobmark.open(JSON.parse(page)), WIDTH).map(({ id, drawn }) => ({
      id,
      draw() {
        const { option, height, frame } = drawn();
        const chart = echarts.init(null, null, { renderer: "svg", ssr: true, width: WIDTH, height });
        chart.setOption(option);
        const svg = chart.renderToSVGString().replace(/<style[^]*?<\/style>| class="zr[^"]*"/g, "").replace(/zr\d+-/g, "zr-"); // styles are for a pointer over a mark; names count the charts
        chart.dispose();
        return frame(svg);
      },
    }));
})((globalThis.blobmark ??= {}));
