package dev.blobmark.bench.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class DocumentsTest {

    private static final Path ROOT = Path.of("..");

    @Test
    void grantsAreThoseOfTheProduct() {
        String guide = """
                ## What it needs

                MySQL:

                    GRANT SELECT, DROP ON `blobmark`.* TO 'you'@'%';
                    GRANT SESSION_VARIABLES_ADMIN ON *.* TO 'you'@'%';

                MariaDB:

                    GRANT BINLOG ADMIN ON *.* TO 'you'@'%';

                text with `GRANT ALL ON *.* TO 'you'@'%';` in it
                """;

        assertThat(Documents.grants(guide, Product.MARIADB, "'guest'@'%'"))
                .containsExactly("GRANT BINLOG ADMIN ON *.* TO 'guest'@'%'");
        assertThat(Documents.grants(guide, Product.MYSQL, "'guest'@'%'"))
                .containsExactly(
                        "GRANT SELECT, DROP ON `blobmark`.* TO 'guest'@'%'",
                        "GRANT SESSION_VARIABLES_ADMIN ON *.* TO 'guest'@'%'");
        assertThatThrownBy(() -> Documents.grants("nothing", Product.MYSQL, "x"))
                .hasMessageContaining("docs/guest.md has no line");
    }

    @Test
    void theDocumentsThemselvesCanBeRead() throws IOException {
        assertThat(Documents.grants(Documents.read(ROOT, "docs/guest.md"), Product.MYSQL, "'guest'@'%'"))
                .anyMatch(grant -> grant.contains("ON `blobmark`.* TO 'guest'@'%'"))
                .anyMatch(grant -> grant.contains("PROCESS"));
        assertThat(Documents.exitCodes(Documents.read(ROOT, "docs/commands.md")))
                .containsKeys(0, 3, 4, 6, 7, 8, 130);
    }

    @Test
    void aPlanNamesTheTables() {
        assertThat(Documents.tables(
                        "DDL:\n  CREATE TABLE `blobmark`.`t01_none`\n  (…);\n  CREATE TABLE `blobmark`.`t02_zstd`\n"))
                .isEqualTo(List.of("t01_none", "t02_zstd"));
    }
}
