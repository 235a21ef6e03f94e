package dev.blobmark.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.lab.plan.Factors;
import dev.blobmark.lab.run.Machine;
import dev.blobmark.lab.run.Manifest;
import dev.blobmark.lab.run.Outcome;
import dev.blobmark.lab.run.RunDirectory;
import dev.blobmark.lab.run.RunWriter;
import dev.blobmark.lab.run.Sample;
import dev.blobmark.lab.study.Study;
import dev.blobmark.lab.study.StudyReader;
import dev.blobmark.lab.study.Trial;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The commands without a server: what they print, where, and their exit codes. */
class CommandsTest {

    private static final String STUDY = """
            study: tiny
            question: Does it run?
            source: a test
            metric: throughput
            baseline: plain
            methods:
              plain: {codec: none}
              packed: {codec: "snappy"}
            conditions:
              - {workload: fetch, dataset: "random:62", size: 4KB, link: loopback, tls: off, threads: 1}
            schedule: {rounds: 2, forks: 1, window: 50ms, warm-up: 100ms, seed: 1}
            """;

    /** A directory in which no server is installed: what tries to start one fails. */
    private static final String NO_SERVER = "--server=embedded:/nonexistent";

    @TempDir
    private Path directory;

    private Path study(String yaml) throws IOException {
        return Files.writeString(directory.resolve("tiny.yaml"), yaml);
    }

    private static void assertUsageError(Invocation invocation, String command, String... problem) {
        assertThat(invocation.err().lines())
                .containsExactly(Stream.concat(Stream.of(problem), Stream.of("See 'blobmark " + command + "--help'."))
                        .toArray(String[]::new));
        assertThat(invocation.exitCode()).isEqualTo(2);
        assertThat(invocation.out()).isEmpty();
    }

    private static void assertError(Invocation invocation, int exitCode, String problem) {
        assertThat(invocation.err().lines()).containsExactly("blobmark: " + problem);
        assertThat(invocation.exitCode()).isEqualTo(exitCode);
        assertThat(invocation.out()).isEmpty();
    }

    @Test
    void helpIsATableOfContents() {
        Invocation help = Invocation.of("--help");

        assertThat(help.out()).isEqualTo("""
                        Usage: blobmark [-hV] [--debug] COMMAND
                        Finds the fastest way to store BLOBs and JSON documents in MySQL.
                              --debug     Show the stack trace of an error.
                          -h, --help      Show this help message and exit.
                          -V, --version   Print version information and exit.
                        Commands:
                          run                  Runs a study: starts a server, loads the values,
                                                 measures every method under every condition, prints
                                                 the ranking and leaves a run directory.
                          advise               Recommends how to store your values, for a server, a
                                                 network and a load: measures codecs on the values,
                                                 predicts, and measures the best candidates against
                                                 each other.
                          whatif               Says what an advice would be for another network, number
                                                 of threads or size of values. Nothing is measured: the
                                                 answer is a forecast, with its interval. It is refused
                                                 beyond what was measured.
                          list                 Lists what there is to choose from.
                          show                 Prints the YAML of a built-in study, to start a study of
                                                 your own from.
                          report               Shows what a run found; also of a run that was
                                                 interrupted, or is still going.
                          survey               Looks over a server for columns that are worth
                                                 compressing: reads a small sample of each, and ranks
                                                 them by the bytes that would be saved. Writes nothing
                                                 to the server.
                          decode               Decodes a value that is stored in the value format: of a
                                                 row, of a file, or all of a column as JSON lines.
                                                 Writes nothing to the server.
                          reencode             Changes how the values of a column are stored, while
                                                 others read and write them.
                          compare              Compares each trial between runs. Can fail if a figure
                                                 got worse.
                          merge                Makes one run of several runs of a study, from one
                                                 machine or from several.
                          doctor               Looks for what makes figures noisy or wrong, and says
                                                 what to do about it.
                          link                 Relays TCP connections of other programs over an
                                                 emulated link, whose bandwidth they share. Ends with
                                                 Ctrl-C.
                          cleanup              Lists and removes what killed runs have left in schemas
                                                 of a server: tables with Blobmark's marker, and
                                                 schemas that it created. Nothing else is touched.
                          help                 Display help information about the specified command.
                          version              Prints the version, as --version does.
                          generate-completion  Generate bash/zsh completion script for blobmark.

                        Exit codes:
                          0     done, even if some methods are unavailable here
                          1     error
                          2     usage: an option, a study or a factor is wrong
                          3     cannot connect: the server cannot be started or reached
                          4     a trial failed: a downgraded layout or a wrong value
                          5     a rate was not reached: fewer operations than --rate offered
                          6     the server does not allow it: privileges, read-only, packets,
                                  replication, no space left
                          7     ended by --critical-load, with a valid partial run
                          8     ended because the server's load or the run's lock could not be read,
                                  with a valid partial run
                          9     a copy of a table was ended before the exchange: not all changes of
                                  others could be followed
                          10    a copy was exchanged, and rows that lacked a change of others have it
                                  now
                          11    a copy was exchanged, and rows differ that somebody must look at
                          98    a limit of --fail-if is inconclusive, with --require-decided
                          99    a limit of --fail-if was exceeded, or an advice does not hold any more
                          130   interrupted, with a valid partial run (143 after SIGTERM)
                        """);
        assertThat(help.exitCode()).isZero();
        assertThat(help.err()).isEmpty();
    }

    @Test
    void cleanupWantsAServerThatGoesOnRunning() {
        assertUsageError(
                Invocation.of("cleanup", "--server", "embedded"),
                "cleanup ",
                "blobmark: --server: a server that Blobmark starts takes all of its run with it; name one that goes on running");
    }

    @Test
    void helpOfRunNamesEveryOptionOfAStudy() {
        Invocation help = Invocation.of("run", "--help");

        assertThat(help.out()).startsWith("""
                        Usage: blobmark run [OPTION]... STUDY|FILE.yaml
                               blobmark run [OPTION]... --data FILE|DIR|TABLE
                               blobmark run --resume RUN
                        """);
        for (String option : List.of(
                "--profile=NAME",
                "--quick",
                "--full",
                "--methods=ID,ID",
                "--set=FACTOR=LEVEL,LEVEL",
                "--threads=N,N",
                "--rate=R,R",
                "--link=LINK",
                "--data=DATA",
                "--jvm=PATH,PATH",
                "--jvm-flags=FLAGS",
                "--time=WINDOW",
                "--rounds=N",
                "--forks=N",
                "--warm-up=TIME",
                "--seed=N",
                "--precision=PERCENT",
                "--budget=TIME",
                "--resume=RUN",
                "--server=SERVER",
                "--schema=NAME",
                "--max-bytes=SIZE",
                "--allow-replicated-writes",
                "--max-load=STATUS=N,…",
                "--critical-load=STATUS=N,…",
                "--pin=client=CPUS,server=CPUS",
                "--[no-]keep-awake",
                "--control",
                "--equal-within=X%",
                "--out=DIR",
                "--dry-run")) {
            assertThat(help.out().lines()).anyMatch(line -> line.startsWith("      " + option));
        }
        assertThat(help.out().lines()).allMatch(line -> line.length() <= 80);
        assertThat(help.exitCode()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"show, (STUDY | --schema)", "report, [RUN|RESULT.json...]", "merge, RUN..."})
    void helpOfTheOtherCommandsShowsTheirOneWord(String command, String word) {
        Invocation help = Invocation.of(command, "--help");

        assertThat(help.out()).startsWith("Usage: blobmark " + command + " [").contains(" " + word + "\n");
        assertThat(help.out().lines()).allMatch(line -> line.length() <= 80);
        assertThat(help.exitCode()).isZero();
    }

    @Test
    void theExamplesOfHelpAreRight() throws Exception {
        List<String[]> examples = Invocation.of("run", "--help")
                .out()
                .lines()
                .dropWhile(line -> !line.equals("Examples:"))
                .skip(1)
                .map(line -> line.strip()
                        .replace("photos", directory.toString())
                        .replaceFirst("runs/\\S+", directory.resolve("stopped").toString())
                        .split(" "))
                .toList();

        stopped(Manifest.State.INTERRUPTED);
        assertThat(examples).hasSizeGreaterThan(1).allSatisfy(words -> {
            assertThat(words).startsWith("blobmark", "run");
            String[] args = Stream.concat(Stream.of(words).skip(1), Stream.of("--dry-run"))
                    .distinct()
                    .toArray(String[]::new);
            Files.write(directory.resolve("photo"), new byte[5000]);
            Invocation dryRun = Invocation.of(args);
            assertThat(dryRun.exitCode()).as(dryRun.err()).isZero();
        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "studies  | STUDY               PROFILES                   QUESTION"
                        + " | blob-fetch          quick, codecs, sizes,      Which way of storing a ",
                "codecs   | CODEC    DEFAULT  RANGE        +len  WRITES | lz4hc    9        1..12        -     ",
                "layouts  | LAYOUT              WHAT IT IS | compressed          ROW_FORMAT=COMPRESSED: zlib by the server",
                "datasets | DATASET                VALUES | sites                  a trie of URLs, UUIDs and small binary fields",
                "servers  | SERVER                                 WHAT IT IS | embedded                               a MariaDB that comes with",
                "methods  | STUDY               METHOD  | blob-fetch          brotli-11",
                "factors  | FACTOR  | size ",
                "metrics  | METRIC             BETTER  WHAT IT IS | p99                lower   p99 latency"
            })
    void listsUnderAHead(String what, String head, String line) {
        Invocation list = Invocation.of("list", what);

        assertThat(list.out()).startsWith(head);
        assertThat(list.out().lines()).anyMatch(l -> l.startsWith(line)).noneMatch(l -> l.endsWith(" "));
        assertThat(list.exitCode()).isZero();
        assertThat(list.err()).isEmpty();
    }

    @Test
    void listsEveryCodecWithItsLevels() {
        assertThat(Invocation.of("list", "codecs")
                        .out()
                        .lines()
                        .skip(1)
                        .filter(line -> !line.startsWith(" "))
                        .map(line -> line.replaceAll("  +.*", "")))
                .containsExactly(
                        "none", "gzip", "zlib", "deflate", "zstd", "snappy", "brotli", "lz4", "lz4hc", "mysql");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            --data table:shop.photos.data                               | table:shop.photos.data: a server that Blobmark starts has no table of yours; name the one that has it, as in --data-server mysql://USER@HOST:PORT/
            --data table:shop.photos.data --data-server mysqld          | --data-server: 'mysqld' is a server that Blobmark starts, and has no table of yours; name a running one
            --data-server mysql://me@127.0.0.1:1/ --set size=64KB       | --data-server: no dataset of the study is read from a server; add --data table:DB.TABLE.COLUMN, or leave it out
            --data table:shop.photos                                    | 'table:shop.photos' is not the name of a column; write table:SCHEMA.TABLE.COLUMN
            """)
    void aTableNeedsTheServerThatHasIt(String words, String says) {
        Invocation run = Invocation.of(("run blob-fetch --dry-run " + words).split(" "));

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.err()).contains(says);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            --server mysqld                                        | --server: 'mysqld' is a server that Blobmark starts, and has no table of yours; name a running one, as in --server mysql://USER@HOST:PORT/
            --min-size 16                                          | name a server by --server mysql://USER@HOST:PORT/, or files by --data PATH#COLUMN and --on MASTER
            --server mysql://me@127.0.0.1:1/ --min-size much       | --min-size: 'much' is not an amount; write a whole number of bytes, KB, MB, GB or TB: 500MB or 2GB
            --server mysql://me@127.0.0.1:1/ --max-read 1XB        | --max-read: '1XB' is not an amount; write a whole number of bytes, KB, MB, GB or TB: 500MB or 2GB
            --server mysql://me@127.0.0.1:1/ --max-statement 0     | --max-statement: 0 ms; it must be 1 or more
            --server mysql://me@127.0.0.1:1/ --format html         | --format: 'html' is none of table, markdown, csv, json
            --server mysql://me@127.0.0.1:1/ --max-load often      | --max-load: 'often' is not a limit of the load: write a status variable and its largest value, such as Threads_running=25
            --server mysql://me@127.0.0.1:1/ --on spark://m:1 --hosts 2 | --on is for --data SCHEMA.TABLE.COLUMN; all columns of a server are surveyed from this machine
            --server mysql://me@127.0.0.1:1/ --hosts 2             | --hosts needs --on: the master of a Spark cluster
            --server mysql://me@127.0.0.1:1/ --sample x            | --sample is for --data
            --values a.b.c                                         | --values needs --server mysql://USER@HOST:PORT/
            --server mysql://me@127.0.0.1:1/ --values a.b.c --seed 2 --on spark://m:1 --hosts 2 | --values reads one column of a server from this machine; leave out --seed, --on, --hosts
            --server mysql://me@127.0.0.1:1/ --values orders       | --values: 'orders' is not the name of a column; write SCHEMA.TABLE.COLUMN, with backquotes around a part that contains a dot
            --server mysql://me@127.0.0.1:1/ --values a.b.c --reads-sql --reads frames | --reads frames: then all values have a frame; leave out --reads-sql
            --server mysql://me@127.0.0.1:1/ --values a.b.c --reads none | --reads: 'none' is not a codec of legacy values: it is 'raw' if they are the values themselves, and 'frames' if all values of the column have one
            --server mysql://me@127.0.0.1:1/ --values a.b.c --reads frames --collisions-are-legacy | --reads frames: then all values have a frame; leave out --collisions-are-legacy
            --server mysql://me@127.0.0.1:1/ --values a.b.c --max-length 0 | --max-length is 1 to 1073741823
            --server mysql://me@127.0.0.1:1/ --max-length 5         | --reads, --reads-sql, --collisions-are-legacy and --max-length are for --values
            --server mysql://me@127.0.0.1:1/ --reads gzip          | --reads, --reads-sql, --collisions-are-legacy and --max-length are for --values
            --server mysql://me@127.0.0.1:1/ --values a.b.c --format csv | --format: 'csv' is none of table, markdown, json
            --data x.parquet#c                                     | --data needs --on: the master of the Spark cluster that reads the column
            --data x.parquet#c --on spark://m:1                    | --on needs --hosts N: a number of hosts between 1 and 256
            --data x.parquet#c --on spark://m:1 --hosts 2 --max-load a=1 --seed 2 | --data PATH#COLUMN reads files, and uses no server; leave out --max-load, --seed
            --server mysql://me@127.0.0.1:1/ --data a.b.c --on spark://m:1 --hosts 2 --max-load a=1 --seed 2 | --data reads one column; leave out --seed
            --server mysql://me@127.0.0.1:1/ --data orders --on spark://m:1 --hosts 2 | --data: 'orders' is not the name of a column; write SCHEMA.TABLE.COLUMN, with backquotes around a part that contains a dot
            --data s3a://AKIA:x1y2@b/x.parquet#c --on spark://m:1 --hosts 2 | --data: everybody on this machine can read a key or a password in an address: remove it, and change it. Put it into a file of mode 600 that --spark-conf-file names, as in spark.hadoop.fs.s3a.secret.key
            --data a.b.c --on spark://m:1 --hosts 2                | --data: 'a.b.c' names no column of files; write s3a://lake/orders.parquet#payload, or add --server for SCHEMA.TABLE.COLUMN
            --server mysql://me@127.0.0.1:1/ --resume x --seed 2   | --resume continues with the survey's own columns and directory; leave out --seed
            """)
    void aWrongOptionOfASurveyIsNamed(String words, String says) {
        assertUsageError(Invocation.of(("survey " + words).split(" ")), "survey ", "blobmark: " + says);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            a.b.c --key 1                                          | --key and --all are for a column; add --server mysql://USER@HOST:PORT/
            a.b.c --server mysql://me@127.0.0.1:1/                 | name a row by --key, or all by --all
            a.b.c --server mysql://me@127.0.0.1:1/ --all --key 1   | --all reads all rows; leave out --key
            orders --server mysql://me@127.0.0.1:1/ --all          | 'orders' is not the name of a column; write SCHEMA.TABLE.COLUMN, with backquotes around a part that contains a dot
            a.b.c --server mysqld --all                            | --server: 'mysqld' is a server that Blobmark starts, and has no table of yours; name a running one, as in --server mysql://USER@HOST:PORT/
            a.b.c --server mysql://me@127.0.0.1:1/ --all --dictionaries x | --dictionaries is for a file; those of a column are in its schema
            """)
    void aWrongOptionOfDecodeIsNamed(String words, String says) {
        assertUsageError(Invocation.of(("decode " + words).split(" ")), "decode ", "blobmark: " + says);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            --hosts 2                                     | --hosts needs --on: the master of a Spark cluster
            --spark-conf a=b                              | --spark-conf needs --on: the master of a Spark cluster
            --spark-conf-file a                           | --spark-conf-file needs --on: the master of a Spark cluster
            --insecure-cluster                            | --insecure-cluster needs --on: the master of a Spark cluster
            --on spark://m:1                              | --on needs --hosts N: a number of hosts between 1 and 256
            --on spark://m:1 --hosts 0 --threads 8        | --on needs --hosts N: a number of hosts between 1 and 256
            --on spark://m:1 --hosts 2                    | hosts is 2, but threads 1, and each process needs one; set threads to 2 or more, or hosts to 1
            --on spark://m:1 --hosts 2 --threads 2        | --on needs blobmark-fleet.jar on the class path; start Blobmark with its launcher, which adds it
            --on spark://m:1 --hosts 2 --threads 2 --no-write --server mysql://me@127.0.0.1:1/ | --no-write measures codecs and the network on this machine, and nothing on hosts; leave out --on or --no-write
            """)
    void hostsThatCannotMeasureForAnAdviceAreRefused(String words, String says) {
        assertUsageError(Invocation.of(("advise --data sites " + words).split(" ")), "advise ", "blobmark: " + says);
    }

    @Test
    void helpOfReencodeFitsATerminal() {
        Invocation help = Invocation.of("reencode", "--help");

        assertThat(help.out().lines()).allMatch(line -> line.length() <= 80);
        for (String option : List.of(
                "--table=SCHEMA.TABLE.COLUMN",
                "--to=CODEC",
                "--revert",
                "--verify",
                "--finish",
                "--min-saving=X%",
                "--replicas=SERVER[,SERVER...]",
                "--max-load=STATUS=N,…",
                "--socket=FILE")) {
            assertThat(help.out().lines()).anyMatch(line -> line.startsWith("      " + option));
        }
        List<String[]> examples = help.out()
                .lines()
                .dropWhile(line -> !line.equals("Examples:"))
                .skip(1)
                .map(line -> line.strip().replace("mysql://db1/", "mysql://me@127.0.0.1:1/"))
                .map(line -> line.split(" "))
                .toList();
        assertThat(examples).hasSize(4).allSatisfy(words -> {
            assertThat(words).startsWith("blobmark", "reencode");
            Invocation unreachable = Invocation.of(Stream.of(words).skip(1).toArray(String[]::new));
            assertThat(unreachable.exitCode()).as(unreachable.err()).isIn(2, 3);
            assertThat(unreachable.err())
                    .containsAnyOf("nothing listens at 127.0.0.1:1", "there is no terminal to ask on");
        });
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            --to lz4                                    | Missing required option: '--table=SCHEMA.TABLE.COLUMN'
            --table a.b.c                               | "Missing required argument (specify one of these): (--to=CODEC | --revert | --verify | --finish)"
            --table a.b.c --to lz4 --revert             | --to=CODEC, --revert are mutually exclusive (specify only one)
            --table a.b --to lz4                        | --table: 'a.b' is not the name of a column; write SCHEMA.TABLE.COLUMN, with backquotes around a part that contains a dot
            --table a.b.c --to squash                   | --to: codec "squash": no codec is called "squash" (there are none, gzip, zlib, deflate, zstd, snappy, brotli, lz4, lz4hc, mysql)
            --table a.b.c --to zstd:99                  | --to: codec "zstd:99": "99" is no level of zstd, which has -131072 to -1 and 1 to 22, default 3
            --table a.b.c --to gzip                     | --to: the value format does not write 'gzip'; it writes lz4hc and zstd, lz4, deflate, brotli, snappy
            --table a.b.c --to lz4 --from squash        | --from: codec "squash": no codec is called "squash" (there are none, gzip, zlib, deflate, zstd, snappy, brotli, lz4, lz4hc, mysql)
            --table a.b.c --to lz4 --min-length much    | --min-length: 'much' is not an amount; write a whole number of bytes, KB, MB, GB or TB: 500MB or 2GB
            --table a.b.c --to lz4 --min-saving 200%    | --min-saving: '200%' is no percentage between 0 and 100; write, for example, 2% or 0.5%
            --table a.b.c --to lz4 --speed 0            | speed is 0; it is 1 to 100 percent of the time
            --table a.b.c --to lz4 --transaction 10s    | a transaction of 10000 ms; it takes 1 ms to 5 s
            --table a.b.c --to lz4 --max-lag 0ms        | the accepted lag is 0 ms; it is at least 1
            --table a.b.c --to lz4 --max-lag soon       | --max-lag: 'soon' is not a duration; write 250ms, 1s or 2m
            --table a.b.c --to lz4 --max-probe x        | --max-probe: 'x' is not a duration; write 250ms, 1s or 2m
            --table a.b.c --to lz4 --max-binlog-rate x  | --max-binlog-rate: 'x' is not an amount; write a whole number of bytes, KB, MB, GB or TB: 500MB or 2GB
            --table a.b.c --to lz4 --max-load often     | --max-load: 'often' is not a limit of the load: write a status variable and its largest value, such as Threads_running=25
            --table a.b.c --to lz4 --writers 0          | 0 writers; there are 1 to 256
            --table a.b.c --to lz4 --writers 2 --mode copy | a copy has one writer; leave out --writers
            --table a.b.c --verify --on spark://m:1 --hosts 2 | --on: with one server, the hosts change rows in place; leave it out with --verify
            --table a.b.c --to lz4 --mode copy --on spark://m:1 --hosts 2 | --on: with one server, the hosts change rows in place; leave it out with --mode copy
            --table a.b.c --to lz4 --on spark://m:1     | --on needs --hosts N: a number of hosts between 1 and 256
            --table a.b.c --to lz4 --mode sideways      | --mode: 'sideways' is neither in-place nor copy
            --table a.b.c --to lz4 --format csv         | --format: 'csv' is none of table, markdown, json
            --table a.b.c --to lz4 --replicas embedded  | --replicas: 'embedded' is a server that Blobmark starts, and has no table of yours; name a running one, as in --replicas mysql://USER@HOST:PORT/
            """)
    void aWrongOptionOfReencodeIsNamed(String words, String says) {
        assertUsageError(
                Invocation.of(("reencode --server mysql://me@127.0.0.1:1/ " + words).split(" ")),
                "reencode ",
                "blobmark: " + says);
    }

    @Test
    void reencodeNeedsARunningServer() {
        assertUsageError(
                Invocation.of("reencode", "--table", "a.b.c", "--to", "lz4", "--server", "embedded"),
                "reencode ",
                "blobmark: --server: 'embedded' is a server that Blobmark starts, and has no table of yours; name a"
                        + " running one, as in --server mysql://USER@HOST:PORT/");
        Invocation unreachable = Invocation.of(
                "reencode", "--table", "a.b.c", "--revert", "--yes", "--server", "mysql://me@127.0.0.1:1/");
        assertThat(unreachable.exitCode()).isEqualTo(3);
        assertThat(unreachable.err()).contains("nothing listens at 127.0.0.1:1");
    }

    @Test
    void aSurveyThatCannotBeginLeavesNothing() throws Exception {
        Path prices = Files.writeString(directory.resolve("prices.yaml"), "disk: 1");
        String server = "--server=mysql://me@127.0.0.1:1/";
        String out = "--out=" + directory.resolve("survey");

        assertUsageError(
                Invocation.of("survey", server, out, "--prices", prices.toString()),
                "survey ",
                "blobmark: --prices: " + prices + ":1:1: unknown key 'disk' in the file of prices; did you mean"
                        + " 'disk-gb-month'?");
        Invocation unreachable = Invocation.of("survey", server, out);
        assertThat(unreachable.exitCode()).isEqualTo(3);
        assertThat(unreachable.err()).contains("nothing listens at 127.0.0.1:1");
        assertThat(directory.resolve("survey")).doesNotExist();
        assertError(
                Invocation.of("survey", server, "--resume", directory.toString()),
                1,
                directory + ": it has no survey.jsonl; name the directory of a survey, such as"
                        + " runs/2026-11-21T10-15-00-survey");
        assertUsageError(
                Invocation.of("report", directory.toString(), "--prices", prices.toString()),
                "report ",
                "blobmark: --prices: of a survey only; name its directory");
    }

    @Test
    void aDataServerThatCannotBeReachedIsSaidSo() {
        Invocation run = Invocation.of(
                "run", "blob-fetch", "--data", "table:shop.photos.data", "--data-server", "mysql://me@127.0.0.1:1/");

        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.err()).contains("nothing listens at 127.0.0.1:1");
    }

    @Test
    void theMethodsOfOneStudyAreListed() {
        assertThat(Invocation.of("list", "methods", "blob-fetch").out().lines().skip(1))
                .hasSize(17)
                .allMatch(line -> line.startsWith("blob-fetch  "))
                .anyMatch(line -> line.matches("blob-fetch +zstd +codec=zstd:3"));
        assertUsageError(
                Invocation.of("list", "methods", "blob-fecth"),
                "list ",
                "blobmark: unknown study 'blob-fecth'; did you mean 'blob-fetch'?");
        assertUsageError(
                Invocation.of("list", "codecs", "blob-fetch"),
                "list ",
                "blobmark: 'blob-fetch' is one word too many; only 'list methods' takes a study");
    }

    @Test
    void aStudyIsShownAsItCanBeRun() throws Exception {
        Invocation show = Invocation.of("show", "blob-fetch");

        assertThat(show.exitCode()).isZero();
        Study shown = new StudyReader(Factors.VOCABULARY).read(show.out(), "shown.yaml", Optional.empty());
        assertThat(shown.name()).isEqualTo("blob-fetch");
        assertUsageError(
                Invocation.of("show", "blob-fecth"),
                "show ",
                "blobmark: unknown study 'blob-fecth'; did you mean 'blob-fetch'?");
    }

    @Test
    void helpAndVersionAreCommandsToo() {
        assertThat(Invocation.of("help").out())
                .isEqualTo(Invocation.of("--help").out());
        assertThat(Invocation.of("help", "run").out())
                .isEqualTo(Invocation.of("run", "--help").out());
        assertThat(Invocation.of("version").out())
                .startsWith("blobmark ")
                .isEqualTo(Invocation.of("--version").out());
    }

    @Test
    void theLatestRunIsTheOneThatBeganLast() throws Exception {
        assertThat(ReportCommand.latest(directory.resolve("none"))).isEmpty();
        Trial trial = new StudyReader(Factors.VOCABULARY)
                .read(STUDY, "tiny.yaml", Optional.empty())
                .trials(Factors.VOCABULARY)
                .get(0);
        try (RunWriter writer =
                RunDirectory.open(stopped(Manifest.State.FINISHED)).writer()) {
            writer.append(Sample.notMeasured(trial, 0, new Outcome.Failed("the server was lost")), Map.of());
        }
        Files.createDirectory(directory.resolve("zzz-empty"));
        assertThat(ReportCommand.latest(directory)).contains(directory.resolve("stopped"));
        Path begun = Files.createDirectory(directory.resolve("zzz-begun"));
        Files.copy(directory.resolve("stopped/manifest.json"), begun.resolve("manifest.json"));
        Files.createFile(begun.resolve("samples.jsonl"));
        assertThat(ReportCommand.latest(directory))
                .as("without samples there is nothing to report")
                .contains(directory.resolve("stopped"));
    }

    @Test
    void directoriesThatAreNotRunsAreLeftOutOfAReport() throws Exception {
        String run = stopped(Manifest.State.FINISHED).toString();
        Path empty = Files.createDirectory(directory.resolve("empty"));

        Invocation report = Invocation.of("report", run, empty.toString());

        assertThat(report.exitCode()).isZero();
        assertThat(report.out()).isEqualTo(Invocation.of("report", run).out());
        assertThat(report.err())
                .isEqualTo("warning: left out: " + empty + ": there is no manifest.json in it; name a run directory,"
                        + " such as runs/2026-11-21T10-15-00-blob-fetch\n");
        assertError(
                Invocation.of("report", empty.toString(), empty.toString()),
                1,
                empty + ": there is no manifest.json in it; name a run directory, such as"
                        + " runs/2026-11-21T10-15-00-blob-fetch");
    }

    @Test
    void listsEveryDataset() {
        assertThat(Invocation.of("list", "datasets").out()).isEqualTo("""
                        DATASET                VALUES
                        sites                  a trie of URLs, UUIDs and small binary fields
                        random:62              random letters and digits
                        random:10              random digits 0 to 9
                        random:4               random digits 0 to 3
                        random:2               random digits 0 and 1
                        uuid:4                 random UUIDs, 16 bytes each
                        uuid:7                 UUIDs that begin with the time
                        orders                 orders of a shop as JSON with the same keys
                        dir:PATH               your own files below a directory, at their own sizes
                        jsonl:FILE             the lines of your own file, or what #/pointer or #base64:/pointer finds in
                                               each
                        table:DB.TABLE.COLUMN  a sample of a column of your own table, read from a running server
                                               (--data-server)
                        """);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "codcs, did you mean 'codecs'?",
                "nonsense, \"it is one of studies, codecs, layouts, datasets, servers, links, methods, factors, metrics\""
            })
    void whatCannotBeListedIsNamedWithWhatCan(String what, String mend) {
        assertUsageError(Invocation.of("list", what), "list ", "blobmark: there is no list of '" + what + "'; " + mend);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--listen 3307 --to here --link wifi               | --to: 'here' is not HOST:PORT, with a port from 0 to 65535",
                "--listen 3307 --to here:0 --link wifi             | --to: port 0 is nobody's; give the server's",
                "--listen 99999 --to here:3306 --link wifi         | --listen: '99999' is not PORT or HOST:PORT, with a port from 0 to 65535",
                "--listen 3307 --to here:3306 --link fast          | --link: 'fast' is not a link; write bandwidth and round trip as in",
                "--listen 3307 --to here:3306                      | missing required option: '--link=LINK'"
            })
    void aLinkThatCannotBeIsRefused(String words, String says) {
        Invocation link = Invocation.of(("link " + words).split(" "));

        assertThat(link.exitCode()).isEqualTo(2);
        assertThat(link.err().toLowerCase(Locale.ROOT)).contains(says.toLowerCase(Locale.ROOT));
    }

    @Test
    void theDoctorMeasuresALink() {
        Invocation doctor = Invocation.of("doctor", "--no-server", "--link", "40mbit 2ms");

        assertThat(doctor.exitCode()).isZero();
        assertThat(doctor.out()).contains("link 40mbit 2ms").contains("Mbit/s, round trip ");
        Invocation wrong = Invocation.of("doctor", "--link", "fast");
        assertThat(wrong.exitCode()).isEqualTo(2);
        assertThat(wrong.err())
                .startsWith("blobmark: --link: 'fast' is not a link; write bandwidth and round trip as in");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "--profile qiuck       | blob-fetch.yaml:39:1: unknown profile 'qiuck'; did you mean 'quick'?",
                "--methods gzpi        | --methods: unknown method 'gzpi'; did you mean 'gzip'?",
                "--set drivr=mariadb   | --set drivr: unknown factor 'drivr'; did you mean 'driver'?",
                "--set driver=mariabd  | --set driver: unknown driver 'mariabd'; did you mean 'mariadb'?",
                "--set driver          | --set: 'driver' sets nothing; write factor=level or factor=level,level,"
                        + " for example driver=mariadb",
                "--time 3              | --time: '3' is neither a time nor a number of operations; write 1s, 250ms or"
                        + " 50000ops",
                "--rounds 0            | --rounds: '0' is not a whole number between 1 and 10000",
                "--precision 1         | --precision: '1' is not a precision; write 1% or 0.5%",
                "--max-load Threads    | --max-load: 'Threads' is not a limit of the load: write a status variable and its largest"
                        + " value, such as Threads_running=25",
                "--critical-load a:b   | --critical-load: 'a:b' is not a limit of the load: write a status variable and its"
                        + " largest value, such as Threads_running=25",
                "--max-bytes much      | --max-bytes: 'much' is not an amount; write a whole number of bytes, KB, MB, GB or"
                        + " TB: 500MB or 2GB",
                "--schema mysql        | --schema: 'mysql' is a schema of the server itself; use another name",
                "--server embeded      | --server: 'embeded' is not a server: use one of embedded, embedded:DIR, mysqld,"
                        + " mysqld:PATH, ndb:DIR, mysql://USER@HOST:PORT/, jdbc:mysql://…,"
                        + " mysql://USER@HOST1:PORT1,HOST2:PORT2/",
                "--sql-nodes 2         | --sql-nodes: this applies only to a cluster that is started for the run; name one"
                        + " with --server ndb:DIR, or leave this out",
                "--data-node-config x.ini | --data-node-config: this applies only to a cluster that is started for the run;"
                        + " name one with --server ndb:DIR, or leave this out",
                "--server ndb:/opt --data-node-config /no/x.ini | --data-node-config: /no/x.ini cannot be read"
                        + " (java.nio.file.NoSuchFileException: /no/x.ini); name a file with parameters of data nodes",
                "--server mysql:/me:x1y2@db | --server: 'mysql:/…@db' is not a server: use one of embedded, embedded:DIR,"
                        + " mysqld, mysqld:PATH, ndb:DIR, mysql://USER@HOST:PORT/, jdbc:mysql://…,"
                        + " mysql://USER@HOST1:PORT1,HOST2:PORT2/",
                "--on spark://m:1 --hosts 1 --spark-conf spark.authenticate.secret:x1y2 | --spark-conf: a word is not of the"
                        + " form KEY=VALUE",
                "--server ndb:/opt --sql-nodes 17 | --sql-nodes: a cluster on one machine has 1 to 16 SQL nodes, not 17",
                "--server mysql://me:x1y2@db | --server: everybody on this machine can read a password in an address, in the"
                        + " list of processes and in the shell's history: remove it, and change it. Put it into"
                        + " ~/.my.cnf ([client] password=…, chmod 600), or into the environment as BLOBMARK_PASSWORD",
                "--ssl-mode REQUIRED   | --server: --ssl-mode: this applies only to a running server; name one, as in"
                        + " --server mysql://USER@HOST:PORT/",
                "--password x1y2       | unknown option '--password'",
                "--pin client=1,2      | --pin: '2' pins neither client nor server; write client=1,server=0, with 0-3 or"
                        + " 0+2 for several processors, or none",
                "--jvm /no/jdk         | jvm '/no/jdk' cannot measure: there is no bin/java in it; give the path of a"
                        + " JDK 17 or newer, or of its bin/java",
                "--jvm-flags -XX:+Foo  | jvm 'default' cannot measure: it does not start with the flags of measuring"
                        + " JVMs: Unrecognized VM option 'Foo'; change --jvm-flags, or use another JVM",
                "--wramup 3s           | unknown option '--wramup'; did you mean '--warm-up'?",
                "--wramup=3s           | unknown option '--wramup'; did you mean '--warm-up'?",
                "--frobnicate          | unknown option '--frobnicate'",
                "blob-store            | 'blob-store' is one word too many; a word that holds a space is written in"
                        + " quotes",
                "--quick --full        | --quick, --full are mutually exclusive (specify only one)",
                "--quick --profile=x   | --profile=NAME, --quick are mutually exclusive (specify only one)"
            })
    void aTypoOnTheCommandLineIsNamedWithItsPlaceAndItsMend(String options, String problem) {
        String[] args = ("run blob-fetch " + options).split(" ");

        assertUsageError(Invocation.of(args), "run ", "blobmark: " + problem);
    }

    @Test
    void aProcessorThatIsNotThereIsNamedBeforeAnythingIsBegun() {
        Path out = directory.resolve("run");

        Invocation run = Invocation.of("run", "blob-fetch", "--pin", "client=8191", NO_SERVER, "--out=" + out);

        assertThat(run.err()).startsWith("blobmark: --pin client=8191: ").hasLineCount(1);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(out).doesNotExist();
    }

    @Test
    void theDoctorLooksAtTheMachineAndCountsItsWarnings() {
        Invocation doctor = Invocation.of("doctor", "--no-server");

        assertThat(doctor.err()).isEmpty();
        assertThat(doctor.exitCode()).isZero();
        List<String> lines = doctor.out().lines().toList();
        assertThat(lines).allMatch(line -> line.length() <= 100);
        assertThat(lines.stream().filter(line -> line.matches("(ok|note|warning|unknown) .*")))
                .extracting(line -> line.substring(9, 26).strip())
                .containsSubsequence(
                        "cores",
                        "SMT",
                        "governor",
                        "turbo",
                        "steal",
                        "other load",
                        "swapping",
                        "idle wake",
                        "clock source",
                        "clock",
                        "free memory",
                        "swap",
                        "huge pages",
                        "cache disk",
                        "run disk",
                        "Java")
                .doesNotContain("buffer pool");
        long warnings =
                lines.stream().filter(line -> line.startsWith("warning ")).count();
        assertThat(lines.get(lines.size() - 1)).matches(warnings + " warnings?, \\d+ notes?, \\d+ unknown, \\d+ ok");
    }

    @Test
    void theDoctorsJsonHasTheSameFindings() {
        Invocation doctor = Invocation.of("doctor", "--no-server", "--format=json");

        JsonNode json = JsonMapper.shared().readTree(doctor.out());
        assertThat(json.get("schema").asInt()).isEqualTo(1);
        assertThat(json.get("findings")).hasSizeGreaterThanOrEqualTo(16).allSatisfy(finding -> {
            assertThat(finding.propertyNames()).containsExactly("what", "observed", "level", "why", "remedy");
            assertThat(finding.get("level").asString()).isIn("ok", "note", "warning", "unknown");
        });
        assertThat(json.get("warnings").asLong())
                .isEqualTo(json.get("findings")
                        .valueStream()
                        .filter(finding -> finding.get("level").asString().equals("warning"))
                        .count());
        assertThat(doctor.exitCode()).isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "--format=yaml               | --format: 'yaml' is none of table, json",
                "--server=embeded            | --server: 'embeded' is not a server: use one of embedded, embedded:DIR, mysqld,"
                        + " mysqld:PATH, ndb:DIR, mysql://USER@HOST:PORT/, jdbc:mysql://…,"
                        + " mysql://USER@HOST1:PORT1,HOST2:PORT2/",
                "--server=jdbc:mysql://db/shop | --server: remove what follows the slash of the address:"
                        + " Blobmark uses its own schema",
                "--server=embedded --no-server"
                        + " | --server=SERVER, --no-server are mutually exclusive (specify only one)"
            })
    void theDoctorsOptionsAreChecked(String options, String problem) {
        assertUsageError(Invocation.of(("doctor " + options).split(" ")), "doctor ", "blobmark: " + problem);
    }

    @Test
    void anUnknownCommandIsNamedWithTheNearest() {
        assertUsageError(Invocation.of("rnu"), "", "blobmark: unknown command 'rnu'; did you mean 'run'?");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "blob-fecth    | unknown study 'blob-fecth'; did you mean 'blob-fetch'?",
                "no-such.yaml  | no-such.yaml does not exist; name a file, or one of 'blobmark list studies'"
            })
    void anUnknownStudyIsNamed(String study, String problem) {
        assertUsageError(Invocation.of("run", study), "run ", "blobmark: " + problem);
    }

    @Test
    void severalWrongOptionsAreToldAtOnce() {
        assertUsageError(
                Invocation.of("run", "blob-fetch", "--set", "foo=1", "--rounds", "x", "--methods", "zsdt"),
                "run ",
                "blobmark: 3 problems:",
                "  --methods: unknown method 'zsdt'; did you mean 'zstd'?",
                "  --set foo: unknown factor 'foo'; it is one of " + factors(),
                "  --rounds: 'x' is not a whole number between 1 and 10000");
    }

    /** What the lab lists where no factor is near. */
    private static String factors() {
        return dev.blobmark.lab.study.Spelling.suggest("foo", dev.blobmark.lab.plan.Factors.VOCABULARY.names())
                .substring("it is one of ".length());
    }

    @Test
    void allMistakesOfAFileAreToldAtOnceEachWithItsPlace() throws Exception {
        Path file = study("""
                study: tiny
                question: Does it run?
                source: a test
                metrik: throughput
                baseline: plian
                methods:
                  plain: {codec: none}
                  packed: {codec: "zsdt:3", layuot: dynamic}
                conditions:
                  - {workload: fetch, dataset: sites, size: 4XB, link: loopback, tls: off, threads: 1}
                schedule: {rounds: 0, forks: 1, window: 50ms, warm-up: 100ms, seed: 1}
                """);

        Invocation run = Invocation.of("run", file.toString());

        List<String> lines = run.err().lines().toList();
        assertThat(lines.get(0)).isEqualTo("blobmark: 7 problems:");
        assertThat(lines).hasSize(9);
        String[][] problems = {
            {"1:1: key 'metric' is missing", "metric: throughput"},
            {"4:1: unknown key 'metrik'", "did you mean 'metric'?"},
            {"5:11: the baseline 'plian' is not among the methods", "did you mean 'plain'?"},
            {"8:19: codec \"zsdt:3\"", "did you mean zstd?"},
            {"8:29: unknown factor 'layuot' in method 'packed'", "did you mean 'layout'?"},
            {"10:45: '4XB' is not a size", "64KB"},
            {"11:20: '0' is not a whole number between 1 and 10000", ""}
        };
        for (int i = 0; i < problems.length; i++) {
            assertThat(lines.get(i + 1))
                    .startsWith("  " + file + ":" + problems[i][0])
                    .contains(problems[i][1]);
        }
        assertThat(lines.get(8)).isEqualTo("See 'blobmark run --help'.");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
    }

    @Test
    void aDryRunPrintsPlanEstimateAndDdlAndTouchesNothing() throws Exception {
        Path out = directory.resolve("run");

        Invocation run = Invocation.of("run", study(STUDY).toString(), "--dry-run", NO_SERVER, "--out", out.toString());

        assertThat(run.out().replaceAll("\\d+ (s|MB)\\b", "# $1")).isEqualTo("""
                        Study:       tiny
                        Question:    Does it run?
                        Source:      a test
                        Metric:      throughput
                        Baseline:    plain
                        Plan:        2 trials, 2 rounds, 1 fork, 1 block: 4 samples
                        Time:        about # s (# s to prepare, # s to measure)
                        Disk:        about # MB for the tables of the largest block
                        Working set: at most # MB a trial, in a buffer pool of 1.0 GB
                        Connections: up to 4 at once

                        Trials: 2 methods, each under 1 condition
                          dataset: random:62
                          size: 4KB

                          plain                  -
                          packed                 codec=snappy

                        DDL:
                          CREATE TABLE `blobmark`.`t01_none_mediumblob_random_62_dynamic_4KB_mysql`
                            (id INT NOT NULL PRIMARY KEY, data MEDIUMBLOB NOT NULL) ENGINE=InnoDB ROW_FORMAT=DYNAMIC;
                          CREATE TABLE `blobmark`.`t02_snappy_mediumblob_random_62_dynamic_4KB_mysql`
                            (id INT NOT NULL PRIMARY KEY, data MEDIUMBLOB NOT NULL) ENGINE=InnoDB ROW_FORMAT=DYNAMIC;
                        """);
        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(out).doesNotExist();
    }

    @Test
    void aDryRunListsTheChartsWithTheTimeOfEach() {
        Invocation run = Invocation.of("run", "set-membership", "--profile", "published", "--dry-run", NO_SERVER);

        assertThat(run.out()).contains("Charts:      --chart hikari: about ", "             --chart sizes: about ");
    }

    @Test
    void aDryRunOfTheStudyIsNoWiderThanATerminal() {
        Invocation run = Invocation.of("run", "blob-fetch", "--dry-run", NO_SERVER);

        assertThat(run.out())
                .startsWith("Study:       blob-fetch, profile quick\n")
                .contains(" trials, 10 rounds, 5 forks, 1 block: ");
        assertThat(run.out().lines()).allMatch(line -> line.length() <= 100);
        assertThat(run.exitCode()).isZero();
        assertThat(run.err()).isEmpty();
    }

    @Test
    void optionsChangeThePlanAndSayWhatFollowed() {
        Invocation run = Invocation.of(
                "run blob-fetch --dry-run --methods gzip --set size=4KB --threads 1,8 --rounds 4 --forks 2".split(" "));

        assertThat(run.err()).isEqualTo("The baseline 'uncompressed' is kept too: the others are compared with it.\n");
        assertThat(run.out())
                .contains("4 rounds, 2 forks")
                .contains(
                        "Trials: 3 methods, each under 2 conditions\n  dataset: sites\n  size: 4KB\n  threads: 1, 8\n")
                .contains("\n  gzip                   codec=gzip:6\n")
                .doesNotContain("zstd", "64KB");
        assertThat(run.exitCode()).isZero();
    }

    /** A run of the small study that has no sample. */
    private Path stopped(Manifest.State state) throws IOException {
        Path path = directory.resolve("stopped");
        Study study = new StudyReader(Factors.VOCABULARY).read(STUDY, "tiny.yaml", Optional.empty());
        try (RunWriter writer = RunDirectory.createAt(path).writer()) {
            writer.write(Manifest.begin(
                            Version.program(List.of()),
                            Instant.EPOCH,
                            study,
                            new Manifest.PlannedSamples(
                                    study.trials(Factors.VOCABULARY).stream()
                                            .map(Trial::id)
                                            .toList(),
                                    1,
                                    4),
                            Map.of("default", Machine.MeasuringJvm.of("Debian", "17", List.of("-Xmx7g"))),
                            Map.of())
                    .ended(state, Instant.EPOCH));
        }
        return path;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "blob-fetch                    | 'blob-fetch'",
                "blob-fetch --quick --rounds=3 | 'blob-fetch', --quick, --rounds",
                "--set a=b --set c=d           | --set",
                "--out elsewhere               | --out",
                "--precision 1% --budget 1m    | --precision"
            })
    void aRunThatGoesOnHasItsOwnPlan(String words, String refused) throws Exception {
        Path run = stopped(Manifest.State.INTERRUPTED);

        assertUsageError(
                Invocation.of(("run --resume " + run + " " + words).split(" +")),
                "run ",
                "blobmark: --resume goes on with the run's own study, plan and directory; leave out " + refused);
    }

    @Test
    void whatARunThatGoesOnHasLeftIsShown() throws Exception {
        Invocation run = Invocation.of(
                "run", "--resume", stopped(Manifest.State.INTERRUPTED).toString(), NO_SERVER, "--dry-run");

        assertThat(run.out()).startsWith("Study:       tiny\n").contains("1 fork, 1 block: 4 samples\n");
        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isZero();
    }

    @Test
    void aRunThatCannotGoOnHereSaysWhatHasChangedAndIsLeftAsItIs() throws Exception {
        Path path = stopped(Manifest.State.INTERRUPTED);
        String manifest = Files.readString(path.resolve("manifest.json"));

        Invocation run = Invocation.of("run", "--resume", path.toString(), NO_SERVER);

        assertThat(run.err())
                .contains(
                        "\nblobmark: " + path
                                + ": the run cannot be resumed, because something has changed:\n  jvms.default.flags: -Xmx7g → ")
                .contains("  libraries.codec brotli: – → ")
                .endsWith("; resume it where it began, with the same programs, or run the study again\n");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(path.resolve("manifest.json")).hasContent(manifest);
    }

    @Test
    void aRunThatHasFinishedIsReportedOnceMore() throws Exception {
        Path path = stopped(Manifest.State.FINISHED);

        Invocation run = Invocation.of("run", "--resume", path.toString(), NO_SERVER);

        assertThat(run.err())
                .isEqualTo("This run had finished: there is nothing left to do.\nRun directory: " + path
                        + "\nReport:        " + path.resolve("report.html") + "\n");
        assertThat(path.resolve("report.html"))
                .content()
                .startsWith("<!doctype html>")
                .contains("Does it run?");
        assertThat(run.out())
                .isEqualTo(Invocation.of("report", path.toString()).out())
                .startsWith("Does it run?\n");
        assertThat(run.exitCode()).isZero();
    }

    @Test
    void aRunWithoutAStudyNamesBothWays() {
        assertUsageError(
                Invocation.of("run"),
                "run ",
                "blobmark: name a study (see 'blobmark list studies'), a file, values of yours by --data, or --resume a run");
    }

    @Test
    void valuesOfOnesOwnNeedNoStudy() throws Exception {
        Path lines = Files.writeString(directory.resolve("orders.jsonl"), "{\"id\": 1}\n{\"id\": 2}\n");

        Invocation run = Invocation.of("run", "--data", lines.toString(), "--dry-run");

        assertThat(run.err()).isEmpty();
        assertThat(run.exitCode()).isZero();
        assertThat(run.out())
                .startsWith("Study:       own-data, profile quick\n")
                .contains("\n  dataset: jsonl:" + lines + "\n", "\n  lz4                    codec=lz4\n");
    }

    @Test
    void theStudyOfOnesOwnValuesNeedsThem() {
        assertUsageError(
                Invocation.of("run", "own-data"),
                "run ",
                "blobmark: own-data runs on values of yours; add --data FILE|DIR|TABLE");
    }

    @Test
    void whatIsNoDataIsSaidSo() throws Exception {
        Files.writeString(directory.resolve("orders.jsonl"), "1\n");

        Invocation run = Invocation.of("run", "--data", directory + "/oders.jsonl");

        assertThat(run.err())
                .startsWith("blobmark: --data: there is no '" + directory + "/oders.jsonl'; did you mean '" + directory
                        + "/orders.jsonl'?");
        assertThat(run.exitCode()).isEqualTo(2);
    }

    @Test
    void aServerThatCannotBeStartedIsTheThirdExitCode() throws Exception {
        Path out = directory.resolve("run");

        Invocation run = Invocation.of("run", study(STUDY).toString(), NO_SERVER, "--out", out.toString());

        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.err())
                .contains("blobmark: no MariaDB server is installed in /nonexistent", "name the directory")
                .doesNotContain("\tat ");
        assertThat(run.out()).isEmpty();
        assertThat(out).doesNotExist();
    }

    /** Nobody listens on port 1. */
    @Test
    void aServerThatIsNotReachedLeavesTheDirectoryAsItWas() throws Exception {
        Path out = Files.createDirectory(directory.resolve("run"));

        Invocation run = Invocation.of(
                "run", study(STUDY).toString(), "--server", "mysql://root@127.0.0.1:1/", "--out", out.toString());

        assertThat(run.exitCode()).as(run.err()).isEqualTo(3);
        assertThat(out).isEmptyDirectory();
    }

    /** Here no cluster can be opened, so its own error would be the first. */
    @Test
    void aRunThatIsBeingWrittenIsRefusedBeforeAClusterOrAServerIsStarted() throws Exception {
        String study = study(STUDY).toString();
        Path out = directory.resolve("out");
        String taken = ": this run is still being written; wait until it has ended, or name another directory";
        List<List<String>> clusters = List.of(List.of(), List.of("--on=spark://127.0.0.1:1", "--hosts=1"));
        RunDirectory claimed = RunDirectory.createAt(out);
        for (List<String> cluster : clusters) {
            for (List<String> words : List.of(
                    List.of("run", study, "--pin=none", NO_SERVER, "--out=" + out),
                    List.of("advise", "--data=sites", NO_SERVER, "--out=" + out))) {
                List<String> all = new ArrayList<>(words);
                all.addAll(cluster);
                assertError(Invocation.of(all.toArray(String[]::new)), 1, out + taken);
            }
        }
        claimed.release();
        Path stopped = stopped(Manifest.State.INTERRUPTED);
        try (RunWriter writer = RunDirectory.open(stopped).writer()) {
            for (List<String> cluster : clusters) {
                List<String> all = new ArrayList<>(List.of("run", "--resume=" + stopped, NO_SERVER));
                all.addAll(cluster);
                assertError(Invocation.of(all.toArray(String[]::new)), 1, stopped + taken);
            }
            assertThat(writer.directory().samples()).isEmpty();
        }
    }

    /** It gets as far as the server, which does not exist, and gives the directory back. */
    @Test
    void theDirectoryOfARunThatWasKilledBeforeItsManifestIsUsedAgain() throws Exception {
        Path left = Files.createDirectory(directory.resolve("left"));
        Files.createFile(left.resolve(".lock"));
        Files.createDirectory(left.resolve("latency"));
        Files.createFile(left.resolve("samples.jsonl"));

        Invocation resumed = Invocation.of("run", "--resume=" + left, NO_SERVER);
        assertError(
                resumed,
                1,
                left + ": the run was killed before it had written its manifest.json, so there is nothing to resume;"
                        + " start it again with --out " + left + ", or delete the directory");

        Invocation again = Invocation.of("run", study(STUDY).toString(), NO_SERVER, "--out=" + left);
        assertThat(again.err()).contains("/nonexistent");
        assertThat(again.exitCode()).isEqualTo(3);
        assertThat(left).isEmptyDirectory();
    }

    @Test
    void aRunIsNeverWrittenOver() throws Exception {
        Path kept = Files.writeString(directory.resolve("kept"), "as it was");
        Path study = study(STUDY);

        assertError(
                Invocation.of("run", study.toString(), NO_SERVER, "--out", directory.toString()),
                1,
                directory + ": the directory is not empty, and a run is never overwritten; name another directory, or"
                        + " move this one away");

        assertThat(kept).hasContent("as it was");
        try (Stream<Path> entries = Files.list(directory)) {
            assertThat(entries).containsExactlyInAnyOrder(kept, study);
        }
    }

    @Test
    void aFileCannotBeARunDirectory() throws Exception {
        Path file = study(STUDY);

        assertError(
                Invocation.of("run", file.toString(), NO_SERVER, "--out", file.toString()),
                1,
                file + ": this is a file; name a directory");
    }

    @Test
    void whatIsNoRunIsNotReported() throws Exception {
        String mend = "; name a run directory, such as runs/2026-11-21T10-15-00-blob-fetch";
        Path missing = directory.resolve("missing");
        Path file = study(STUDY);
        Path empty = Files.createDirectory(directory.resolve("empty"));

        assertError(Invocation.of("report", missing.toString()), 1, missing + ": there is no such directory" + mend);
        assertError(Invocation.of("report", file.toString()), 1, file + ": this is a file" + mend);
        assertError(Invocation.of("report", empty.toString()), 1, empty + ": there is no manifest.json in it" + mend);
    }

    @Test
    void aReportIsWrittenIntoAFileThatHasAllOfIt() throws Exception {
        String run = stopped(Manifest.State.FINISHED).toString();
        Path file = directory.resolve("reports").resolve("results.csv");

        for (int time = 0; time < 2; time++) {
            Invocation written = Invocation.of("report", run, "--format", "csv", "--out", file.toString());
            assertThat(written.exitCode()).isZero();
            assertThat(written.out()).isEmpty();
        }

        assertThat(file)
                .hasContent(Invocation.of("report", run, "--format", "csv").out());
        assertThat(file.getParent()).isDirectoryContaining("glob:**.csv").isDirectoryNotContaining("glob:**.part");
    }

    @Test
    void aReportGoesThroughALinkAndIntoNoDirectory() throws Exception {
        String run = stopped(Manifest.State.FINISHED).toString();
        Path target = Files.writeString(directory.resolve("target.csv"), "old");
        Path link = Files.createSymbolicLink(directory.resolve("link.csv"), target);

        assertThat(Invocation.of("report", run, "--format", "csv", "--out", link.toString())
                        .exitCode())
                .isZero();
        assertThat(link).isSymbolicLink();
        assertThat(target)
                .hasContent(Invocation.of("report", run, "--format", "csv").out());
        assertError(
                Invocation.of("report", run, "--format", "csv", "--out", directory.toString()),
                1,
                directory + ": this is a directory; name a file in it");
        assertUsageError(
                Invocation.of("report", run, "--charts", "figures", "--format", "csv"),
                "report ",
                "blobmark: --charts writes files of its own; leave out --format");
    }

    @Test
    void aReportFollowsNoLinkThatOthersMayHaveMade() throws Exception {
        String run = stopped(Manifest.State.FINISHED).toString();
        Path target = Files.writeString(directory.resolve("precious"), "precious");
        Path open = Files.createDirectory(directory.resolve("open"));
        Files.setAttribute(open, "unix:mode", 0777);
        Files.createSymbolicLink(open.resolve(".results.csv.part"), target);
        Path link = Files.createSymbolicLink(open.resolve("link.csv"), target);

        assertThat(Invocation.of(
                                "report",
                                run,
                                "--format",
                                "csv",
                                "--out",
                                open.resolve("results.csv").toString())
                        .exitCode())
                .isZero();
        Invocation linked = Invocation.of("report", run, "--format", "csv", "--out", link.toString());

        assertThat(linked.exitCode()).isEqualTo(1);
        assertThat(linked.err()).contains("other users may write to " + open);
        assertThat(target).hasContent("precious");
        assertThat(Invocation.of("report", run, "--format", "csv", "--out", "/dev/stdout")
                        .exitCode())
                .isZero();
        assertThat(Invocation.of("report", run, "--format", "csv", "--out", "/dev/null")
                        .exitCode())
                .isZero();
    }

    @Test
    void severalRunsBecomeOnePageAndNothingElse() throws Exception {
        String run = stopped(Manifest.State.FINISHED).toString();

        assertThat(Invocation.of("report", run, run).out()).startsWith("<!doctype html>");
        assertUsageError(
                Invocation.of("report", run, run, "--format", "csv"),
                "report ",
                "blobmark: --format csv: of one run at a time; use --format html for several side by side");
        Path results = Files.writeString(directory.resolve("result.json"), "[]");
        assertUsageError(
                Invocation.of("report", results.toString(), "--format", "table"),
                "report ",
                "blobmark: --format table: " + results + " is no run directory; use --format html for results of JMH");
        assertError(
                Invocation.of("report", results.toString()),
                1,
                results
                        + ": this is not a list of benchmarks; name a run directory, or a file that JMH has written with -rf json");
    }

    @ParameterizedTest
    @ValueSource(strings = {"xml", "TABLE", ""})
    void aReportHasElevenForms(String format) {
        assertUsageError(
                Invocation.of("report", "--format", format, directory.toString()),
                "report ",
                "blobmark: --format: '" + format
                        + "' is none of table, markdown, csv, json, html, jmh, prometheus, links, latency, published, claims");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "100%", "-1%", "two%", "", "1,5%"})
    void aMarginIsAPercentage(String margin) {
        for (String command : List.of("report", "run")) {
            assertUsageError(
                    Invocation.of(command, "--equal-within=" + margin, directory.toString()),
                    command + " ",
                    "blobmark: --equal-within: '" + margin
                            + "' is no percentage between 0 and 100; write, for example, 2% or 0.5%");
        }
    }

    @Test
    void aControlIsPlannedUnderEveryCondition() {
        Invocation plan = Invocation.of("run", "blob-fetch", "--methods=gzip", "--control", "--dry-run", NO_SERVER);
        Invocation without = Invocation.of("run", "blob-fetch", "--methods=gzip", "--dry-run", NO_SERVER);

        assertThat(plan.exitCode()).as(plan.err()).isZero();
        assertThat(plan.out().lines().filter(line -> line.startsWith("Trials: ")))
                .containsExactly("Trials: 3 methods, each under 3 conditions");
        assertThat(plan.out().lines().filter(line -> line.startsWith("  control ")))
                .containsExactly("  control                control=on");
        assertThat(plan.out()
                        .lines()
                        .filter(line -> line.startsWith("  CREATE TABLE "))
                        .toList())
                .isEqualTo(without.out()
                        .lines()
                        .filter(line -> line.startsWith("  CREATE TABLE "))
                        .toList());
    }
}
