package dev.blobmark.value.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.client.Sql;
import dev.blobmark.value.ReaderRegistry;
import dev.blobmark.value.ReaderRegistry.Announcement;
import dev.blobmark.value.ReaderRegistry.Reader;
import dev.blobmark.value.ValueFormat;
import java.sql.Connection;
import java.util.Set;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@SuppressWarnings("try") // announcements are there until they are closed
class ReaderRegistryIT {

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void nothingIsEncodedThatALiveReaderCannotRead(String product) throws Exception {
        DataSource source = TestServers.source(product);
        ReaderRegistry readers = ReaderRegistry.in(source, TestServers.SCHEMA).create();
        ValueFormat format =
                ValueFormat.builder().writes("zstd:3").readers(readers).build();
        byte[] value = new byte[1_000];
        try (Announcement own = readers.announce("orders 2.0")) {
            assertThat(readers.readers())
                    .singleElement()
                    .satisfies(reader -> assertThat(reader.codecs())
                            .contains("zstd", "lz4", "deflate", "brotli", "snappy", "mysql"));
            try (Announcement old = readers.announce(new Reader("reports in Python", 1, Set.of("deflate", "lz4")))) {
                assertThatThrownBy(format::startWriting)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("nothing is encoded by zstd:3, since reports in Python cannot read it");
                assertThat(format.encode(value)).isSameAs(value);
                ValueFormat lz4 = ValueFormat.builder()
                        .writes("lz4hc:9")
                        .readers(ReaderRegistry.in(source, TestServers.SCHEMA))
                        .build();
                lz4.startWriting();
                assertThat(lz4.encode(value).length).isLessThan(100);
            }
            format.startWriting();
            assertThat(format.encode(value).length).isLessThan(100);
        }
        assertThat(readers.readers()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void aReaderThatWasNotHeardOfIsGone(String product) throws Exception {
        DataSource source = TestServers.source(product);
        ReaderRegistry readers = ReaderRegistry.in(source, TestServers.SCHEMA).create();
        try (Announcement old = readers.announce(new Reader("old", 0, Set.of()));
                Connection connection = source.getConnection()) {
            assertThat(readers.readers()).hasSize(1);
            Sql.execute(connection, "UPDATE blobmark_readers SET announced = CURRENT_TIMESTAMP - INTERVAL 6 MINUTE");
            assertThat(readers.readers()).isEmpty();
        }
    }

    /** What cannot be asked is not relied on. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void nothingIsEncodedIfTheReadersCannotBeAsked(String product) throws Exception {
        DataSource source = TestServers.source(product);
        ReaderRegistry nowhere = ReaderRegistry.in(source, "no_such_schema");
        ValueFormat format =
                ValueFormat.builder().writes("zstd:3").readers(nowhere).build();
        assertThatThrownBy(format::startWriting)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the readers could not be asked, so nothing is encoded");
    }
}
