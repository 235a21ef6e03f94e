package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.mysql.table.TableColumn;
import dev.blobmark.reencode.table.Grants;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is not certain was not granted. */
class GrantsTest {

    private static final TableColumn COLUMN = TableColumn.named("my_shop.orders.payload");

    private static boolean has(String privilege, String lines) {
        return new Grants(List.of(lines.split("; ")), true).has(privilege, COLUMN);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GRANT ALL PRIVILEGES ON *.* TO `a`@`%` WITH GRANT OPTION                                          | true",
                "GRANT SELECT, TRIGGER ON *.* TO `a`@`%`                                                           | true",
                "GRANT SELECT ON *.* TO `a`@`%`                                                                    | false",
                "GRANT TRIGGER ON `my_shop`.* TO `a`@`%`                                                           | true",
                "GRANT TRIGGER ON `my\\_shop`.* TO `a`@`%`                                                         | true",
                "GRANT TRIGGER ON `my%`.* TO `a`@`%`                                                               | true",
                "GRANT TRIGGER ON `my_shop`.`orders` TO `a`@`%`                                                    | true",
                "GRANT TRIGGER ON `my_shop`.`order_` TO `a`@`%`                                                    | false",
                "GRANT TRIGGER ON `myxshop`.`orders` TO `a`@`%`                                                    | false",
                "GRANT TRIGGER ON `other`.* TO `a`@`%`                                                             | false",
                // the server takes one line of them
                "GRANT TRIGGER ON `my%`.* TO `a`@`%`; GRANT SELECT ON `my\\_shop`.* TO `a`@`%`                     | false",
                "GRANT TRIGGER ON `my%`.* TO `a`@`%`; GRANT SELECT ON `my_sh%`.* TO `a`@`%`                        | false",
                "GRANT SELECT ON `my%`.* TO `a`@`%`; GRANT TRIGGER ON `my\\_shop`.* TO `a`@`%`                     | true",
                // and adds those of a role
                "GRANT SELECT ON `my\\_shop`.* TO `a`@`%`; GRANT TRIGGER ON `my\\_shop`.* TO `r`                  | true",
                "GRANT ALL PRIVILEGES ON *.* TO `a`@`%`; REVOKE TRIGGER ON `my_shop`.* FROM `a`@`%`                | false",
                "GRANT ALL PRIVILEGES ON *.* TO `a`@`%`; REVOKE TRIGGER ON `other`.* FROM `a`@`%`                  | true",
                "GRANT ALL PRIVILEGES ON *.* TO `a`@`%`; DENY SOMETHING NEW                                        | false",
            })
    void privilegesOnTheTable(String lines, boolean isGranted) {
        assertThat(has("TRIGGER", lines)).isEqualTo(isGranted);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SELECT | GRANT SELECT (id, payload), UPDATE (payload) ON `my_shop`.`orders` TO `a`@`%` | false",
                "UPDATE | GRANT SELECT (id, payload), UPDATE (`payload`) ON `my_shop`.`orders` TO `a`@`%` | true",
                "UPDATE | GRANT SELECT, UPDATE (id) ON `my_shop`.`orders` TO `a`@`%` | false",
                "SELECT | GRANT INSERT (a, b), SELECT ON `my_shop`.`orders` TO `a`@`%` | true",
                "LOCK TABLES | GRANT LOCK TABLES, SELECT ON `my_shop`.* TO `a`@`%` | true",
            })
    void privilegesOnColumnsAreNotThoseOnTheTable(String privilege, String lines, boolean isGranted) {
        assertThat(has(privilege, lines)).isEqualTo(isGranted);
    }

    @ParameterizedTest
    @CsvSource({"my_shop, true", "my%, false", "my\\_shop, true"})
    void namesAreNoPatternsWithPartialRevokes(String schema, boolean isGranted) {
        assertThat(new Grants(List.of("GRANT TRIGGER ON `" + schema + "`.* TO `a`@`%`"), false).has("TRIGGER", COLUMN))
                .isEqualTo(isGranted);
    }
}
