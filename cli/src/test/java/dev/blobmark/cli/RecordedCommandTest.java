package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class RecordedCommandTest {

    private static String recorded(String... args) {
        CommandLine.ParseResult parsed = Main.commandLine().parseArgs(args);
        return RecordedCommand.of(parsed.subcommand());
    }

    @Test
    void theArgumentsStandInTheirOrderWithTheirFullNames() {
        assertThat(recorded(
                        "run", "blob-fetch", "--quick", "--methods", "gzip,zstd", "--set=size=64KB", "--set=link=wifi"))
                .isEqualTo("run blob-fetch --quick --methods gzip,zstd --set size=64KB --set link=wifi");
        assertThat(recorded("run", "--seed=7", "--pin=none", "ndb-blob")).isEqualTo("run --seed 7 --pin none ndb-blob");
    }

    @Test
    void negatedOptionsStayNegated() {
        assertThat(recorded("run", "blob-fetch", "--no-keep-awake")).isEqualTo("run blob-fetch --no-keep-awake");
        assertThat(recorded("run", "blob-fetch", "--keep-awake")).isEqualTo("run blob-fetch --keep-awake");
    }

    @Test
    void wordsAreQuotedForAShell() {
        assertThat(recorded("run", "blob-fetch", "--jvm-flags=-Xmx2g -XX:+UseZGC", "--data=dir:my photo's"))
                .isEqualTo("run blob-fetch --jvm-flags '-Xmx2g -XX:+UseZGC' --data 'dir:my photo'\\''s'");
    }

    @Test
    void serversOfTheUsersAreNotNamed() {
        assertThat(recorded(
                        "run",
                        "blob-fetch",
                        "--server=mysql://app:geheim@db.internal:3306/",
                        "--server=redis=rediss://cache.internal:6379",
                        "--data-server=jdbc:mysql://10.0.0.7/?password=geheim",
                        "--defaults-file=/home/ada/.my.cnf",
                        "--ssl-ca=/etc/acme/ca.pem"))
                .isEqualTo("run blob-fetch --server SERVER --server redis=SERVER --data-server SERVER"
                        + " --defaults-file FILE --ssl-ca FILE");
        assertThat(recorded("run", "blob-fetch", "--server=mysqld:/opt/mysql"))
                .isEqualTo("run blob-fetch --server mysqld:/opt/mysql");
    }

    @Test
    void secretsAreLeftOutOfEveryValue() {
        assertThat(recorded("run", "blob-fetch", "--jvm-flags=-Xmx1g -Dcom.acme.login=geheim -Dother=geheim"))
                .isEqualTo("run blob-fetch --jvm-flags '-Xmx1g -Dcom.acme.login=… -Dother=…'");
        assertThat(RecordedCommand.withoutSecrets("x?user=ada&password=geheim&ssl=on"))
                .isEqualTo("x?user=ada&password=…&ssl=on");
        assertThat(RecordedCommand.withoutSecrets("https://ada:geheim@host/data"))
                .isEqualTo("https://host/data");
        assertThat(RecordedCommand.withoutSecrets("API_KEY=geheim,passwd:geheim"))
                .isEqualTo("API_KEY=…,passwd:…");
    }

    @Test
    void whereTheRunWasWrittenIsLeftOut() {
        assertThat(recorded("run", "studies/my-study.yaml", "--out=/srv/runs/a", "--debug"))
                .isEqualTo("run my-study.yaml");
        assertThat(recorded("run", "--resume=runs/2026-11-21T10-15-00-blob-fetch", "--budget=6m"))
                .isEqualTo("run --resume RUN --budget 6m");
    }
}
