package dev.blobmark.lab.dataset;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SitesTest extends GeneratedDatasetContract {

    @Override
    Dataset dataset() {
        return Datasets.parse("sites");
    }

    @Override
    Map<Integer, String> goldenDigests() {
        return Map.of(
                1, "117a3ce13b7ee63f6445f0de5add29bad2e7c8eeeb083792b8900d52a75469c8",
                2, "510438ca3db4effaeb5dfa4dad4d050926779679d4ab8491e4383c3c59bd8443",
                20, "5561ab188ac8447afb953ef81d50e835e1ff45149a47f5e5cfd9349565a29a24",
                1_000, "3153f55480ac21a2984909b33d90ad30ba8b54de11153e9451d3e9d374a9b1e3",
                34_011, "b25a7f1f0fa52f28bf75b186e24e4ceab614e410c33b25d702586b34d162bbaa",
                100_000, "8a5e1baf20971602f809c31c6d7d9a32afad5ac88899da4a5118c31f467961e9");
    }

    /** One node, as protobuf's own reader finds it. */
    private record Node(int parent, String label, UUID document, long changed, int visits, int hashBytes) {

        static Node read(CodedInputStream in) throws IOException {
            int parent = -1;
            String label = null;
            UUID document = null;
            long changed = -1;
            int visits = -1;
            int hashBytes = 0;
            for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
                switch (WireFormat.getTagFieldNumber(tag)) {
                    case 1 -> parent = in.readUInt32();
                    case 2 -> label = in.readStringRequireUtf8();
                    case 3 -> document = uuid(in.readByteArray());
                    case 4 -> changed = in.readUInt64();
                    case 5 -> visits = in.readUInt32();
                    case 6 -> hashBytes = in.readByteArray().length;
                    default -> throw new AssertionError("unknown tag " + tag);
                }
            }
            return new Node(parent, label, document, changed, visits, hashBytes);
        }
    }

    private record Trie(UUID id, long created, int version, List<Node> nodes, int restBytes) {

        static Trie read(byte[] value) throws IOException {
            CodedInputStream in = CodedInputStream.newInstance(value);
            UUID id = null;
            long created = -1;
            int version = -1;
            List<Node> nodes = new ArrayList<>();
            int restBytes = -1;
            for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
                assertThat(restBytes).as("nothing follows the rest").isEqualTo(-1);
                switch (WireFormat.getTagFieldNumber(tag)) {
                    case 1 -> id = uuid(in.readByteArray());
                    case 2 -> created = in.readFixed64();
                    case 3 -> version = in.readUInt32();
                    case 4 -> nodes.add(Node.read(CodedInputStream.newInstance(in.readByteArray())));
                    case 14 -> assertThat(in.readUInt32()).isZero();
                    case 15 -> restBytes = in.readByteArray().length;
                    default -> throw new AssertionError("unknown tag " + tag);
                }
            }
            assertThat(in.isAtEnd()).isTrue();
            return new Trie(id, created, version, nodes, restBytes);
        }
    }

    private static UUID uuid(byte[] bytes) {
        assertThat(bytes).hasSize(16);
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new UUID(buffer.getLong(), buffer.getLong());
    }

    @Test
    void canBeParsedAtAnySizeFromTwoBytesOn() throws IOException {
        for (int size = 2; size <= 2_000; size++) {
            Values values = dataset().values(size, SEED);
            for (int i = 0; i < 8; i++) {
                Trie trie = Trie.read(values.get(i));
                assertThat(trie.restBytes).as("size %d, value %d", size, i).isLessThan(256);
            }
        }
    }

    @Test
    void isATrieOfPathsWithDocumentsTimesAndCounters() throws IOException {
        Trie trie = Trie.read(dataset().values(80_000, SEED).get(3));

        assertThat(trie.id.version()).isEqualTo(4);
        assertThat(trie.id.variant()).isEqualTo(2);
        assertThat(trie.version).isPositive();
        assertThat(trie.nodes).hasSizeBetween(800, 1_400);
        long changed = trie.created;
        for (int i = 0; i < trie.nodes.size(); i++) {
            Node node = trie.nodes.get(i);
            assertThat(node.parent).as("a parent is an earlier node").isBetween(0, i);
            assertThat(node.label)
                    .matches("(www\\.[a-z]+(\\.[a-z]+)+)?(/[a-z0-9]+)+(\\?[a-z_]+=[a-z]+(&[a-z_]+=[a-z]+)*)?");
            assertThat(node.parent == 0).as("roots are hosts").isEqualTo(i == 0 || node.label.startsWith("www."));
            assertThat(node.document.version()).isEqualTo(4);
            assertThat(node.changed).isGreaterThanOrEqualTo(changed);
            assertThat(node.visits).isPositive();
            changed = node.changed;
        }
    }

    @Test
    void repeatsLabelsAndDocumentsTheMoreTheLargerItIs() throws IOException {
        List<Trie> tries = new ArrayList<>();
        for (int size : new int[] {10_000, 100_000, 1_000_000, 4_000_000}) {
            tries.add(Trie.read(dataset().values(size, SEED).get(0)));
        }
        assertThat(tries.stream().map(trie -> share(trie, Node::label)))
                .isSortedAccordingTo((a, b) -> Double.compare(b, a));
        assertThat(tries.stream().map(trie -> share(trie, Node::document)))
                .isSortedAccordingTo((a, b) -> Double.compare(b, a));
    }

    private static double share(Trie trie, Function<Node, Object> field) {
        return trie.nodes.stream().map(field).distinct().count() / (double) trie.nodes.size();
    }

    @Test
    void carriesAHashPerNewDocumentInLargeValuesOnly() throws IOException {
        assertThat(Trie.read(dataset().values(85 << 10, SEED).get(0)).nodes).allMatch(node -> node.hashBytes == 0);

        Set<UUID> known = new HashSet<>();
        for (Node node : Trie.read(dataset().values((85 << 10) + 1, SEED).get(0)).nodes) {
            assertThat(node.hashBytes).isEqualTo(known.add(node.document) ? 64 : 0);
        }
    }

    @Test
    void sharesNoDocumentBetweenValues() throws IOException {
        Values values = dataset().values(10_000, SEED);
        Set<UUID> first = documents(values.get(0));

        assertThat(documents(values.get(1))).doesNotContainAnyElementsOf(first);
    }

    private static Set<UUID> documents(byte[] value) throws IOException {
        return Stream.concat(
                        Stream.of(Trie.read(value).id),
                        Trie.read(value).nodes.stream().map(Node::document))
                .collect(Collectors.toSet());
    }
}
