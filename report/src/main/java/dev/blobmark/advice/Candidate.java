package dev.blobmark.advice;

import dev.blobmark.lab.probe.CodecFigures;
import dev.blobmark.value.ValueFormat;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A way of storing the values.
 *
 * @param id name of the method
 * @param levels the method's choices by factor; the others are those of {@link Race}
 * @param figures of the codec on the values; of {@code none} without a codec
 * @param isPredictable whether its time follows from the codec and the stored bytes; if not, only a race shows it
 */
public record Candidate(
        String id, Map<String, String> levels, CodecFigures figures, Reading reading, boolean isPredictable) {

    /** The id of the values as they are. */
    public static final String AS_IS = "as-is";

    private static final String NONE = "none";
    private static final String MYSQL = "mysql";

    public Candidate {
        levels = new LinkedHashMap<>(levels);
    }

    /** All candidates for values on which these codecs were measured: {@code none} and those of the frontier. */
    public static List<Candidate> of(List<CodecFigures> codecs) {
        CodecFigures none = codecs.stream()
                .filter(figures -> figures.codec().equals(NONE))
                .findFirst()
                .orElseThrow();
        List<Candidate> all = new ArrayList<>();
        all.add(new Candidate(AS_IS, Map.of("column", "own"), none, Reading.ANY_CLIENT, true));
        all.add(new Candidate(
                "compressed-table", Map.of("column", "own", "layout", "compressed"), none, Reading.ANY_CLIENT, false));
        all.add(new Candidate(
                "compressed-pages", Map.of("column", "own", "layout", "page:zlib"), none, Reading.ANY_CLIENT, false));
        all.add(new Candidate(
                "compressed-protocol",
                Map.of("column", "own", "wire-compression", "zlib"),
                none,
                Reading.ANY_CLIENT,
                false));
        codecs.stream().filter(figures -> !figures.codec().equals(NONE)).forEach(figures -> {
            String id = figures.codec().replaceAll("[:+]", "-");
            boolean isMysql = isOfServer(figures.codec());
            all.add(new Candidate(
                    id,
                    Map.of("codec", figures.codec()),
                    figures,
                    isMysql ? Reading.SQL_FUNCTION : Reading.LIBRARY,
                    true));
            if (isMysql) {
                all.add(new Candidate(
                        id + "-uncompress",
                        Map.of("codec", figures.codec(), "decode", "server"),
                        figures,
                        Reading.SQL_FUNCTION,
                        false));
            }
        });
        return List.copyOf(all);
    }

    /** Whether the server can decode it. */
    static boolean isOfServer(String codec) {
        return codec.equals(MYSQL) || codec.startsWith(MYSQL + ":");
    }

    static boolean isReadInSql(CodecFigures figures) {
        return figures.codec().equals(NONE) || isOfServer(figures.codec());
    }

    public Optional<String> codec() {
        return Optional.ofNullable(levels.get("codec"));
    }

    /** Whether the query decodes the values, by {@code UNCOMPRESS()}. */
    public boolean isDecodedByServer() {
        return levels.getOrDefault("decode", "").equals("server");
    }

    /** Whether the value format writes it, next to values that stay as they are. */
    public boolean isFramed() {
        return isInValueFormat() && codec().filter(Candidate::isOfServer).isEmpty();
    }

    /** Whether the application can store values by it with the value format. */
    public boolean isInValueFormat() {
        if (codec().isEmpty() || isDecodedByServer()) {
            return false;
        }
        try {
            return ValueFormat.builder().writes(codec().get()).build().codec().isPresent();
        } catch (IllegalArgumentException e) {
            return false; // it does not have this codec
        }
    }

    /** Whether packets of the protocol are compressed. */
    boolean isCompressedOnTheWire() {
        return levels.containsKey("wire-compression");
    }

    public boolean isAsIs() {
        return id.equals(AS_IS);
    }
}
