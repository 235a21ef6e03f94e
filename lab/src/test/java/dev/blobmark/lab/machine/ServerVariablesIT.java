package dev.blobmark.lab.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.conduct.OneServer;
import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.mysql.client.JdbcDriver;
import dev.blobmark.mysql.server.ServerIdentity;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The variables of a real server, as they are and with one of them changed. */
@ExtendWith(OneServer.class)
class ServerVariablesIT {

    /** A fifth of its buffer pool of 64 MiB is left. */
    private static final Need NEED = new Need("a-study", 0, 0, 50_000_000);

    private static Map<String, String> variables;

    @BeforeAll
    static void ask(OwnServer server) throws Exception {
        try (Connection connection = JdbcDriver.connectForLoading(server.endpoint(), "")) {
            variables = ServerIdentity.read(connection).variables();
        }
    }

    private static List<Finding> found(Map<String, String> changed) {
        Map<String, String> all = new TreeMap<>(variables);
        all.putAll(changed);
        return new ServerVariables(all, true).findings(NEED);
    }

    @Test
    void aServerOfOthersIsNotToBeChanged() {
        Map<String, String> theirs = new TreeMap<>(variables);
        theirs.putAll(Map.of(
                "innodb_buffer_pool_size", "62000000",
                "max_allowed_packet", "16777216",
                "query_cache_type", "ON",
                "query_cache_size", "1048576",
                "log_bin", "ON",
                "innodb_flush_log_at_trx_commit", "2",
                "innodb_file_per_table", "OFF",
                "general_log", "ON"));

        assertThat(new ServerVariables(theirs, false).findings(NEED))
                .extracting(Finding::remedy)
                .allSatisfy(remedy -> assertThat(remedy)
                        .contains("sk its DBA wh")
                        .doesNotContain("SET GLOBAL", "start the server", "Set innodb"));
    }

    @Test
    void theEmbeddedServerIsAsMeasurementsLikeIt() {
        assertThat(found(Map.of()))
                .hasSize(7)
                .allSatisfy(finding -> assertThat(finding.level()).isEqualTo(Finding.Level.OK));
        assertThat(found(Map.of()).get(0).observed()).isEqualTo("67 MB; a trial of a-study reads up to 50 MB");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "innodb_buffer_pool_size=62000000                       | warning buffer pool",
                "max_allowed_packet=16777216                            | warning packet limit",
                "query_cache_type=ON;query_cache_size=1048576           | warning query cache",
                "query_cache_type=ON;query_cache_size=0                 | ",
                "query_cache_type=OFF;query_cache_size=1048576          | ",
                "log_bin=ON;sync_binlog=1                               | note binary log",
                "innodb_flush_log_at_trx_commit=2                       | note durability",
                "innodb_file_per_table=OFF                              | warning compression",
                "innodb_page_size=65536                                 | note compression",
                "general_log=ON                                         | warning instruments",
                "performance_schema=ON;slow_query_log=ON                | note instruments"
            })
    void whatDisturbsIsFound(String change, String expected) {
        Map<String, String> changed = new TreeMap<>();
        for (String each : change.split(";")) {
            String[] pair = each.split("=");
            assertThat(variables).containsKey(pair[0]);
            changed.put(pair[0], pair[1]);
        }

        assertThat(found(changed).stream()
                        .filter(finding -> finding.level() != Finding.Level.OK)
                        .map(finding -> finding.level().word() + " " + finding.what()))
                .containsExactlyElementsOf(Stream.ofNullable(expected).toList());
    }

    @Test
    void whatAServerDoesNotHaveIsNoProblemOfIts() {
        Map<String, String> mySql = new TreeMap<>(variables);
        mySql.keySet().removeIf(name -> name.startsWith("query_cache"));
        assertThat(new ServerVariables(mySql, true).findings(NEED).get(2))
                .isEqualTo(Finding.ok("query cache", "none in this server"));

        assertThat(new ServerVariables(Map.of(), true).findings(NEED))
                .filteredOn(finding -> finding.level() == Finding.Level.UNKNOWN)
                .extracting(Finding::what)
                .containsExactly("buffer pool", "packet limit");
    }

    @Test
    void aStandInIsCalledOne() {
        assertThat(ServerVariables.identity("MariaDB", "11.4.5-MariaDB", "embedded"))
                .satisfies(finding -> assertThat(finding.level()).isEqualTo(Finding.Level.NOTE))
                .extracting(Finding::observed)
                .isEqualTo("MariaDB 11.4.5, embedded");
        assertThat(ServerVariables.identity("MySQL", "8.4.3", "address").level())
                .isEqualTo(Finding.Level.OK);
    }
}
