package dev.blobmark.lab.guest;

import dev.blobmark.lab.RealMySql;
import org.junit.jupiter.api.extension.ExtendWith;

/** On MySQL. */
@ExtendWith(RealMySql.class)
class MySqlReplicationIT extends ReplicationContract {

    @Override
    String what() {
        return "mysqld:" + RealMySql.requireBase();
    }
}
