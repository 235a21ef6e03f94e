package dev.blobmark.report;

import dev.blobmark.advice.WhatIf;
import dev.blobmark.analysis.LinkOutlook;
import dev.blobmark.stats.Interval;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Forecasts as JSON. Times are nanoseconds between two fetches of a thread. */
final class WhatIfJson {

    private WhatIfJson() {}

    /** Of an advice: {@code link}, {@code threads}, {@code size}, {@code recommended} and {@code predictions}. */
    static String of(WhatIf whatIf) {
        ObjectNode root = JsonRankings.MAPPER.createObjectNode();
        root.put("link", whatIf.link());
        root.put("threads", whatIf.threads());
        whatIf.size().ifPresent(size -> root.put("size", size.toString()));
        root.put("recommended", whatIf.recommended());
        ArrayNode predictions = root.putArray("predictions");
        whatIf.predictions()
                .forEach(prediction -> predictions
                        .addObject()
                        .put("candidate", prediction.entry().id())
                        .put("nanos", prediction.nanos())
                        .put("low", prediction.low())
                        .put("high", prediction.high())
                        .put("was_raced", prediction.wasRaced()));
        return text(root);
    }

    /** Of a run: for each condition, {@code condition}, {@code link} and {@code predictions}. */
    static String of(LinkOutlookDocument.Forecasts forecasts) {
        ArrayNode root = JsonRankings.MAPPER.createArrayNode();
        for (LinkOutlook outlook : forecasts.outlooks()) {
            ObjectNode condition = root.addObject();
            ObjectNode levels = condition.putObject("condition");
            outlook.ranking().condition().byFactor().forEach(levels::put);
            condition.put("link", outlook.link().toString());
            ArrayNode predictions = condition.putArray("predictions");
            outlook.predictions().forEach(prediction -> {
                ObjectNode row = predictions.addObject();
                row.put("method", prediction.method());
                row.put("measured_nanos", prediction.measuredNanos());
                row.put("nanos", prediction.nanos());
                if (prediction.interval() instanceof Interval.Range range) {
                    row.put("low", range.low());
                    row.put("high", range.high());
                }
            });
        }
        return text(root);
    }

    private static String text(JsonNode root) {
        return JsonRankings.MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n";
    }
}
