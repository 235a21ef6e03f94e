package dev.blobmark.lab.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.codec.Codec;
import dev.blobmark.codec.Codecs;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class OrdersTest extends GeneratedDatasetContract {

    @Override
    Dataset dataset() {
        return Datasets.parse("orders");
    }

    @Override
    Map<Integer, String> goldenDigests() {
        return Map.of(
                1, "78b31543bc3af60a385de247203ef251024bc447b3adab4d43b181d1ab3e464b",
                40, "f45ea0f6c2ba6dc11aa65961721f705e96421dde5bd29470fa4824e21b154b20",
                200, "7a32bebedde915bce2b78b81f09a6ef0986f22c127c365295c381f20f7fe5ad9",
                4_096, "fa09b58ebf461d4f32a8e405b9f21026336adcdd04654e2d8e7cd2f6beef7b29");
    }

    @Test
    void valuesFrom40BytesOnAreDocuments() {
        JsonMapper json = new JsonMapper();
        for (int size : new int[] {40, 41, 60, 199, 200, 201, 250, 300, 333, 512, 1_000, 2_048, 4_096, 65_536}) {
            Values values = dataset().values(size, 7);
            for (int i = 0; i < Math.min(50, values.count()); i++) {
                JsonNode document = json.readTree(values.get(i));
                assertThat(document.get("id").asString()).hasSize(16);
                if (size >= 300) {
                    assertThat(document.get("lines").size()).isPositive();
                    assertThat(document.get("customer").get("email").asString()).endsWith("@example.com");
                }
            }
        }
    }

    /** One of them alone hardly, and less the shorter it is. */
    @Test
    void theyCompressByTheirKeys() {
        Codec zstd = Codecs.parse("zstd:3");
        assertThat(ratio(zstd, 256)).isBetween(1.0, 1.8);
        assertThat(ratio(zstd, 4_096)).isBetween(3.0, 6.0);
    }

    private double ratio(Codec codec, int size) {
        Values values = dataset().values(size, 1);
        long stored = 0;
        for (int i = 0; i < 100; i++) {
            byte[] value = values.get(i);
            stored += codec.encode(value, 0, size, new byte[codec.maxEncodedLength(size)], 0);
        }
        return 100.0 * size / stored;
    }
}
