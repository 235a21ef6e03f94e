package dev.blobmark.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.value.integration.TestServers;
import java.time.Clock;
import java.time.Duration;
import java.util.Set;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clocks that differ, and time that has passed. */
@SuppressWarnings("try") // announcements are there until they are closed
class OwnClocksIT {

    @AfterEach
    void clean() throws Exception {
        TestServers.clean(TestServers.source("MariaDB"));
    }

    /** A server whose clock is set forward by a day would delete what was withdrawn a moment ago. */
    @ParameterizedTest
    @CsvSource({"MariaDB, -1500", "MariaDB, 700", "MySQL, -1500"})
    void nothingIsWithdrawnOrDeletedByClocksThatDiffer(String product, int seconds) throws Exception {
        DataSource source = TestServers.source(product);
        DictionaryTable right = DictionaryTable.in(source, TestServers.SCHEMA).create();
        DictionaryTable wrong = new DictionaryTable(
                source, TestServers.SCHEMA, Clock.offset(Clock.systemUTC(), Duration.ofSeconds(seconds)));
        try {
            ValueDictionary dictionary = ValueDictionary.of("a dictionary of some bytes".getBytes());
            TestServers.table(source, "orders");
            right.add(dictionary, "orders", "payload");
            assertThatThrownBy(() -> wrong.withdraw(dictionary.number()))
                    .isInstanceOf(DictionaryException.class)
                    .hasMessageContaining("is not withdrawn: the server's clock says");
            right.withdraw(dictionary.number());
            assertThatThrownBy(() -> wrong.delete(dictionary.number()))
                    .isInstanceOf(DictionaryException.class)
                    .hasMessageContaining("is not deleted: the server's clock says");
        } finally {
            TestServers.clean(source);
        }
    }

    /** All of them may have been unable to announce themselves, and read all the same. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void afterAnOutageReadersHaveTimeToAnnounceThemselves(String product) throws Exception {
        DataSource source = TestServers.source(product);
        try (ReaderRegistry registry =
                ReaderRegistry.in(source, TestServers.SCHEMA).create()) {
            ReaderRegistry.Written written = new ReaderRegistry.Written("lz4", Set.of("lz4"), Set.of());
            registry.requireAllRead(written);
            Elapsed now = Elapsed.fromNow();
            long outage = Duration.ofMinutes(4).toNanos();
            registry.read(new Elapsed(now.atNanos() + 1, now.atMillis() - outage / 1_000_000));
            registry.keepReading();
            assertThatThrownBy(() -> registry.requireAllRead(written))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("could not be asked for minutes");
        }
        // one that has not kept reading has missed nothing
        try (ReaderRegistry registry = ReaderRegistry.in(source, TestServers.SCHEMA)) {
            assertThatCode(() -> registry.requireAllRead(new ReaderRegistry.Written("lz4", Set.of("lz4"), Set.of())))
                    .doesNotThrowAnyException();
        } finally {
            TestServers.clean(source);
        }
    }

    /** Who was refused asks again later, and an outage in between is one all the same. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void anOutageAfterAnAnswerThatWasNoIsNoticed(String product) throws Exception {
        DataSource source = TestServers.source(product);
        try (ReaderRegistry registry =
                        ReaderRegistry.in(source, TestServers.SCHEMA).create();
                ReaderRegistry.Announcement old =
                        registry.announce(new ReaderRegistry.Reader("old", 1, Set.of("deflate")))) {
            ReaderRegistry.Written written = new ReaderRegistry.Written("lz4", Set.of("lz4"), Set.of());
            assertThatThrownBy(() -> registry.requireAllRead(written)).hasMessageContaining("since old cannot read it");
            Elapsed now = Elapsed.fromNow();
            long outage = Duration.ofMinutes(4).toNanos();
            registry.read(new Elapsed(now.atNanos() + 1, now.atMillis() - outage / 1_000_000));
            assertThatThrownBy(() -> registry.requireAllRead(written))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("could not be asked for minutes");
        } finally {
            TestServers.clean(source);
        }
    }

    /** A value is not encoded by what was seen more than a minute ago, nor soon after an outage. */
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void whatWasSeenIsReliedOnForAMinuteAndNotAfterAnOutage(String product) throws Exception {
        DataSource source = TestServers.source(product);
        try (ReaderRegistry registry =
                ReaderRegistry.in(source, TestServers.SCHEMA).create()) {
            ReaderRegistry.Written written = new ReaderRegistry.Written("lz4", Set.of("lz4"), Set.of());
            registry.read(ago(Duration.ofSeconds(61)));
            assertThat(registry.allReadersRead(written)).isFalse();
            registry.read(Elapsed.fromNow());
            assertThat(registry.allReadersRead(written)).isTrue();
            Elapsed now = Elapsed.fromNow();
            registry.read(new Elapsed(
                    now.atNanos() + 1, now.atMillis() - Duration.ofMinutes(4).toMillis()));
            registry.keepReading();
            for (int look = 0; look < 2; look++) {
                registry.read(Elapsed.fromNow());
                assertThat(registry.allReadersRead(written)).isFalse();
            }
        } finally {
            TestServers.clean(source);
        }
    }

    private static Elapsed ago(Duration time) {
        Elapsed now = Elapsed.fromNow();
        return new Elapsed(now.atNanos() - time.toNanos(), now.atMillis() - time.toMillis());
    }
}
