package dev.blobmark.lab.admission;

import dev.blobmark.lab.conduct.RealMySql;
import org.junit.jupiter.api.extension.ExtendWith;

/** On MySQL. */
@ExtendWith(RealMySql.class)
class MySqlReplicationIT extends ReplicationContract {

    @Override
    String what() {
        return "mysqld:" + RealMySql.requireBase();
    }
}
