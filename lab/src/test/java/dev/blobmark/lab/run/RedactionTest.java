package dev.blobmark.lab.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.blobmark.lab.study.ConditionBlock;
import dev.blobmark.lab.study.Study;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedactionTest {

    private static final Redaction REDACTION = Redaction.OF_THIS_MACHINE.withServer(
            "db7.example.org",
            33101,
            Map.of(
                    "hostname",
                    "db7",
                    "datadir",
                    "/srv/customers/mysql/",
                    "server_uuid",
                    "30e7daae-e6d3-11f1-9825-02fc00000001",
                    "general_log",
                    "OFF",
                    "tmpdir",
                    "/tmp"));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "Socket fail to connect to db7.example.org:33101|Socket fail to connect to the server",
                "fail to connect to host:address=(host=db7.example.org)(port=33101)(type=primary). Connection refused"
                        + "|fail to connect to host:address=(host=the server)(port=…)(type=primary). Connection refused",
                "Access denied for user 'app'@'laptop.example.org'|Access denied for user 'app'@'…'",
                "Host '10.1.2.3' is not allowed|Host 'an address' is not allowed",
                "connect to 10.1.2.3:3306 failed|connect to an address failed",
                "connect to [fd00:1:2::7]:3306 failed|connect to an address failed",
                "connect to ::1 failed|connect to an address failed",
                "Can't create '/srv/customers/mysql/blobmark/t01.ibd' (28)|Can't create '<datadir>/blobmark/t01.ibd' (28)",
                "The slave db7 has uuid 30e7daae-e6d3-11f1-9825-02fc00000001|The slave <hostname> has uuid <server_uuid>",
            })
    void aMessageLosesWhatNamesTheServer(String message, String shown) {
        assertThat(REDACTION.message(message)).isEqualTo(shown);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "the value of key 17 has 3.5 MB instead of 4",
                "Row size too large (> 8126)",
                "started at 10:15:00, 1.2.3 of zstd",
                "std::bad_alloc in thread 1:2",
                "general_log is OFF",
                "ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=8",
            })
    void otherMessagesStayAsTheyAre(String message) {
        assertThat(REDACTION.message(message)).isEqualTo(message);
    }

    @Test
    void thePathOfTheHomeIsWrittenAsATilde() {
        String home = System.getProperty("user.home");
        assertThat(REDACTION.message(home + "/x: no such file; " + home + "er"))
                .isEqualTo("~/x: no such file; " + home + "er");
    }

    @Test
    void thisHostIsNotNamed() throws IOException {
        Path name = Path.of("/proc/sys/kernel/hostname");
        assumeTrue(Files.exists(name), "only Linux tells the name of its host in a file");
        String host = Files.readString(name).strip();
        assumeFalse(host.isEmpty() || host.equals("localhost"), "this host has no name");

        assertThat(Redaction.OF_THIS_MACHINE.message("no route from " + host + ", nor from my" + host))
                .isEqualTo("no route from this host, nor from my" + host);
    }

    @Test
    void aSampleLosesItInItsReasonAndItsEvents() {
        Sample sample = Samples.measured(0).withEvent("lost db7.example.org:33101");
        assertThat(REDACTION.of(sample).events()).contains("lost the server");
        assertThat(REDACTION.of(Samples.measured(0))).isEqualTo(Samples.measured(0));
        assertThat(REDACTION.of(Samples.manifest())).isEqualTo(Samples.manifest());
    }

    @Test
    void namesAreReplacedInEveryText() {
        Manifest manifest = Samples.manifest();
        Study own = new Study(
                manifest.study().name(),
                manifest.study().question(),
                manifest.study().source(),
                manifest.study().profile(),
                manifest.study().metric(),
                manifest.study().baseline(),
                manifest.study().methods(),
                List.of(new ConditionBlock(new TreeMap<>(
                        Map.of("dataset", List.of("table:shop.customers.photo", "dir:/srv/acme/photos"))))),
                manifest.study().schedule(),
                List.of());
        Redaction redaction = Redaction.OF_THIS_MACHINE.withNames(own, "acme_bench", "blobmark");
        assertThat(redaction.message("Unknown column 'photo' in `shop`.`customers`, schema acme_bench, blobmark"))
                .isEqualTo("Unknown column 'redacted-1' in `redacted-1`.`redacted-1`, schema redacted, blobmark");
        assertThat(redaction.message("Table 't02_zstd_3_mediumblob_table_shop_cust' is full"))
                .isEqualTo("Table 't02_redacted' is full");
        assertThat(redaction.message("/srv/acme/photos/7: unreadable")).isEqualTo("redacted-2/7: unreadable");
        assertThat(redaction.names())
                .isEqualTo(Map.of(
                        "table:shop.customers.photo",
                        "table:a.b.redacted-1",
                        "dir:/srv/acme/photos",
                        "dir:/redacted-2"));
        assertThat(Redaction.isRedacted(own)).isFalse();
        // a command line may name the same in other words: dir:photos
        assertThat(redaction.of(manifest).blobmark())
                .isEqualTo(new Program(
                        manifest.blobmark().version(), manifest.blobmark().commit(), List.of()));
        assertThat(Redaction.OF_THIS_MACHINE.of(manifest)).isEqualTo(manifest);
    }
}
