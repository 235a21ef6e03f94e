package dev.blobmark.mysql.server.running;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.blobmark.mysql.server.ServerException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What "Using Option Files" of MySQL's manual says. */
class OptionFileTest {

    @TempDir
    private Path directory;

    private Path file(String name, String... lines) throws Exception {
        return Files.write(directory.resolve(name), List.of(lines));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "password=secret             | secret",
                "  password  =  secret       | secret",
                "password=\"my secret\"      | my secret",
                "password='my secret'        | my secret",
                "password=\"a#b\"            | a#b",
                "password=a#b                | a",
                "password=secret # for tests | secret",
                "password=\"it's\"           | it's",
                "password='say \"so\"'       | say \"so\"",
                "password=a=b                | a=b",
                "password=C:\\\\Program\\sFiles | C:\\Program Files",
                "password=a\\tb\\nc\\rd\\be  | `a\tb\nc\rd\be`",
                "password=a\\xb              | a\\xb",
                "password=\"a\\\"b\"         | a\"b",
                "password='a\\'#b'           | a'#b",
                "password=\\S                | \\S",
                "password=pä$$ wörd          | pä$$ wörd"
            })
    void valuesAreUnquotedAndUnescaped(String line, String value) throws Exception {
        assertThat(OptionFile.read(file("my.cnf", "[client]", line)))
                .singleElement()
                .satisfies(option -> {
                    assertThat(option.name()).isEqualTo("password");
                    assertThat(option.value()).contains(value);
                });
    }

    @Test
    void groupsCommentsAndNamesAreReadAsMySqlDoes() throws Exception {
        Path file = file(
                "my.cnf",
                "# a comment",
                "; another",
                "",
                "[client]",
                "ssl_ca=/ca.pem",
                "loose-get-server-public-key",
                "  [ mysqld ]  ",
                "port=1",
                "[client]",
                "password=",
                "skip-password # none");

        assertThat(OptionFile.read(file))
                .extracting(OptionFile.Option::group, OptionFile.Option::name, OptionFile.Option::value)
                .containsExactly(
                        tuple("client", "ssl-ca", Optional.of("/ca.pem")),
                        tuple("client", "get-server-public-key", Optional.empty()),
                        tuple("mysqld", "port", Optional.of("1")),
                        tuple("client", "password", Optional.of("")),
                        tuple("client", "skip-password", Optional.empty()));
    }

    @Test
    void includedFilesStandWhereTheyAreIncluded() throws Exception {
        Path more = Files.createDirectory(directory.resolve("more"));
        Files.write(more.resolve("b.cnf"), List.of("[client]", "user=b"));
        Files.write(more.resolve("a.cnf"), List.of("[client]", "user=a"));
        Files.write(more.resolve("c.txt"), List.of("[client]", "user=c"));
        Path one = file("one.cnf", "[client]", "user=one");
        Path file = file("my.cnf", "[client]", "user=first", "!include " + one, "!includedir " + more, "user=last");

        assertThat(OptionFile.read(file))
                .extracting(option -> option.value().orElseThrow())
                .containsExactly("first", "one", "a", "b", "last");
    }

    @Test
    void whatCannotBeReadNamesThePlaceAndTheMend() throws Exception {
        assertThatThrownBy(() -> OptionFile.read(directory.resolve("none")))
                .isInstanceOf(ServerException.class)
                .hasMessage("the option file " + directory.resolve("none") + " does not exist: correct its name");
        Path early = file("early.cnf", "# no group", "user=a");
        assertThatThrownBy(() -> OptionFile.read(early))
                .hasMessage(early + ":2: this option is in no group; add a line such as [client] before it");
        Path open = file("open.cnf", "[client");
        assertThatThrownBy(() -> OptionFile.read(open)).hasMessageContaining(open + ":1: ", "no ']'");
        Path odd = file("odd.cnf", "!includes x");
        assertThatThrownBy(() -> OptionFile.read(odd)).hasMessageContaining(odd + ":1: '!includes' is neither");
        Path loop = file("loop.cnf", "[client]", "!include " + directory.resolve("loop.cnf"));
        assertThatThrownBy(() -> OptionFile.read(loop)).hasMessageContaining("leads back to the same file");
    }

    @Test
    void aFileThatEverybodyMayWriteIsRefused() throws Exception {
        Path file = file("my.cnf", "[client]", "password=secret");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--rw-"));

        assertThatThrownBy(() -> OptionFile.read(file)).hasMessageContaining("chmod 600 " + file);
    }
}
