package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThat;

import dev.blobmark.reencode.cutover.CopyChecks;
import dev.blobmark.reencode.table.Grants;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is decided by the variables and grants of a server, also of one that cannot be started here. */
class CopyChecksTest {

    @Test
    void clustersOfSeveralPrimariesAreRefused() {
        assertThat(CopyChecks.cluster(Map.of("wsrep_provider", "/usr/lib/galera/libgalera_smm.so")))
                .hasValueSatisfying(reason -> assertThat(reason).contains("a node of a Galera cluster"));
        assertThat(CopyChecks.cluster(
                        Map.of("group_replication_group_name", "aa", "group_replication_single_primary_mode", "OFF")))
                .hasValueSatisfying(reason -> assertThat(reason).contains("several primaries"));
        assertThat(CopyChecks.cluster(Map.of("wsrep_provider", "none"))).isEmpty();
        assertThat(CopyChecks.cluster(Map.of("wsrep_provider", ""))).isEmpty();
        assertThat(CopyChecks.cluster(
                        Map.of("group_replication_group_name", "aa", "group_replication_single_primary_mode", "ON")))
                .isEmpty();
        assertThat(CopyChecks.cluster(Map.of())).isEmpty();
    }

    /** MariaDB 13.1 has DENY, MySQL partial revokes. */
    @Test
    void restrictedGrantsAreNotTrusted() {
        assertThat(new Grants(
                                List.of("GRANT ALL PRIVILEGES ON *.* TO `a`@`%`", "DENY SELECT ON `shop`.* TO `a`@`%`"),
                                true)
                        .isRestricted())
                .isTrue();
        assertThat(new Grants(List.of("GRANT SELECT ON *.* TO `a`@`%`", "REVOKE SELECT ON `shop`.* FROM `a`@`%`"), true)
                        .isRestricted())
                .isTrue();
        assertThat(new Grants(List.of("GRANT ALL PRIVILEGES ON *.* TO `a`@`%`"), true).isRestricted())
                .isFalse();
    }
}
