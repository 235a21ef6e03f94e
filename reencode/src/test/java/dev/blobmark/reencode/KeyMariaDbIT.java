package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Keys of tables of the MariaDB that comes with Blobmark. */
class KeyMariaDbIT extends KeyContract {

    @Override
    OwnServer start() {
        return TestServers.mariaDb(HOSTILE);
    }

    @Override
    String collations() {
        return "SELECT a.full_collation_name, a.character_set_name, s.maxlen FROM"
                + " information_schema.collation_character_set_applicability a JOIN information_schema.character_sets s"
                + " ON s.character_set_name = a.character_set_name WHERE a.full_collation_name <> 'binary'";
    }

    @Override
    boolean isForChar(String collation) {
        return !collation.contains("nopad")
                && !collation.contains("0900")
                && (!collation.contains("uca1400") || collation.endsWith("_ai_ci"));
    }

    /** Of these, the order of the index is not that of comparisons, or is not known here. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CHAR(10) COLLATE utf8mb4_nopad_bin | k is of type char with the collation utf8mb4_nopad_bin",
                "CHAR(10) COLLATE utf8mb4_0900_ai_ci | k is of type char with the collation utf8mb4_0900_ai_ci",
                "CHAR(10) COLLATE utf8mb4_uca1400_as_cs | k is of type char with the collation utf8mb4_uca1400_as_cs",
                "UUID | k is of type uuid, in whose order rows are not read",
                "INET6 | k is of type inet6, in whose order rows are not read",
            })
    void aTypeOfMariaDbIsRefusedByName(String type, String reason) throws Exception {
        users.execute(
                "DROP TABLE IF EXISTS shop.keyless",
                "CREATE TABLE shop.keyless (k " + type + " PRIMARY KEY, payload BLOB) ENGINE=InnoDB");
        assertRefused(reason);
    }
}
