package dev.blobmark.lab.store;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Documents as a {@code JSON} column accepts and returns them. */
final class JsonText {

    /** MySQL refuses documents that are nested deeper (error 3157). */
    private static final int MAX_DEPTH = 100;

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    private JsonText() {}

    /** Why a JSON column refuses a text; empty if it accepts it. */
    static Optional<String> problem(byte[] text) {
        String decoded;
        try {
            decoded = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(text))
                    .toString();
        } catch (CharacterCodingException e) {
            return Optional.of("is not UTF-8");
        }
        JsonNode document;
        try {
            document = decoded.startsWith("\ufeff") ? MAPPER.missingNode() : MAPPER.readTree(decoded);
        } catch (JacksonException e) {
            return Optional.of("is not JSON (" + e.getOriginalMessage() + ")");
        }
        if (document.isMissingNode()) {
            return Optional.of("is not JSON");
        }
        return problem(document, 1);
    }

    private static Optional<String> problem(JsonNode node, int depth) {
        if (depth > MAX_DEPTH) {
            return Optional.of("is nested more than " + MAX_DEPTH + " levels deep");
        }
        if (node.isNumber() && Double.isInfinite(node.decimalValue().doubleValue())) {
            return Optional.of("has a number beyond the range of a double");
        }
        if (node.isString() && !StandardCharsets.UTF_8.newEncoder().canEncode(node.stringValue())) {
            return Optional.of("has half of a surrogate pair in a string");
        }
        for (JsonNode child : node) {
            Optional<String> problem = problem(child, depth + 1);
            if (problem.isPresent()) {
                return problem;
            }
        }
        return Optional.empty();
    }

    /**
     * Whether two texts are the same document: the same members in any order (the last of those with the same name),
     * the same elements in the same order, equal strings after resolving escapes, and numbers that are equal as 64-bit
     * integers or as doubles. This is what the JSON type of MySQL preserves (Reference Manual, <i>The JSON Data
     * Type</i>: normalization, merging, autowrapping).
     */
    static boolean isSame(byte[] one, byte[] other) {
        try {
            return isSame(MAPPER.readTree(one), MAPPER.readTree(other));
        } catch (JacksonException e) {
            return false;
        }
    }

    private static boolean isSame(JsonNode one, JsonNode other) {
        if (one.isNumber() && other.isNumber()) {
            BigDecimal first = one.decimalValue();
            BigDecimal second = other.decimalValue();
            return first.compareTo(second) == 0
                    || !isLong(first) && Double.compare(first.doubleValue(), second.doubleValue()) == 0;
        }
        if (one.getNodeType() != other.getNodeType() || one.size() != other.size()) {
            return false;
        }
        if (one.isObject()) {
            return one.properties().stream()
                    .allMatch(member ->
                            other.has(member.getKey()) && isSame(member.getValue(), other.get(member.getKey())));
        }
        if (one.isArray()) {
            Iterator<JsonNode> others = other.iterator();
            for (JsonNode element : one) {
                if (!isSame(element, others.next())) {
                    return false;
                }
            }
            return true;
        }
        return one.equals(other);
    }

    /** Whether MySQL stores a number as a signed or unsigned integer, without losing digits. */
    private static boolean isLong(BigDecimal number) {
        return number.scale() <= 0 && number.precision() - number.scale() < 19;
    }
}
