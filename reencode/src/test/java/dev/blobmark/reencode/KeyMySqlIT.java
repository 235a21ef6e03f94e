package dev.blobmark.reencode;

import dev.blobmark.lab.server.own.OwnServer;
import org.junit.jupiter.api.Test;

/** Keys of tables of a real MySQL. */
class KeyMySqlIT extends KeyContract {

    @Override
    OwnServer start() {
        return TestServers.mySql(HOSTILE);
    }

    @Override
    String collations() {
        return "SELECT c.collation_name, c.character_set_name, s.maxlen FROM information_schema.collations c JOIN"
                + " information_schema.character_sets s USING (character_set_name) WHERE c.collation_name <> 'binary'";
    }

    @Override
    boolean isForChar(String collation) {
        return true;
    }

    @Test
    void anExpressionIsNoKey() throws Exception {
        users.execute(
                "DROP TABLE IF EXISTS shop.keyless",
                "CREATE TABLE shop.keyless (k INT NOT NULL, payload BLOB, UNIQUE KEY u ((k + 1))) ENGINE=InnoDB");
        assertRefused("u: an expression");
    }
}
