package dev.blobmark.reencode;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.blobmark.lab.server.own.OwnServer;
import dev.blobmark.mysql.admission.AdmissionException;
import dev.blobmark.reencode.row.Before;
import dev.blobmark.reencode.row.Target;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Changes of tables of a real MySQL. */
class ReencodeMySqlIT extends ReencodeContract {

    @Override
    OwnServer start() {
        return TestServers.mySql(Map.of());
    }

    @Test
    void anIndexOnAnExpressionIsRefused() throws Exception {
        users.execute("CREATE TABLE shop.functional (id INT PRIMARY KEY, payload BLOB, UNIQUE KEY h"
                + " ((CAST(SHA2(payload, 256) AS CHAR(64))))) ENGINE=InnoDB");
        users.insert("shop.functional", 1, json(1));
        assertThatThrownBy(() -> reencoding("shop.functional.payload").change(Before.RAW, new Target("zstd:3", ALL)))
                .isInstanceOf(AdmissionException.class)
                .hasMessageContaining("is computed from it");
    }

    /** A UNIQUE index would keep other days apart after a copy than before. */
    @Test
    void anIndexOnAnExpressionThatDependsOnTheSessionIsRefused() throws Exception {
        users.execute(
                "CREATE TABLE shop.by_day (id INT PRIMARY KEY, payload BLOB, ts TIMESTAMP NULL, UNIQUE KEY d ((DATE(ts))))"
                        + " ENGINE=InnoDB",
                "CREATE TABLE shop.by_name (id INT PRIMARY KEY, payload BLOB, name VARCHAR(20), at DATETIME, KEY n"
                        + " ((LOWER(name))), KEY d ((DATE(at)), id)) ENGINE=InnoDB");
        users.insert("shop.by_day", 1, json(1));
        users.insert("shop.by_name", 1, json(1));
        assertThatThrownBy(() -> reencoding("shop.by_day.payload").change(Before.RAW, new Target("zstd:3", ALL)))
                .isInstanceOf(AdmissionException.class)
                .hasMessageContaining("may depend on settings of a session");
        reencoding("shop.by_name.payload").change(Before.RAW, new Target("zstd:3", ALL));
    }
}
