package dev.blobmark.reencode;

import dev.blobmark.reencode.binlog.LogPosition;
import dev.blobmark.reencode.change.LogPlace;
import java.sql.Connection;
import java.sql.SQLException;

/** The present end of a server's log. */
final class LogPlaceText {

    private LogPlaceText() {}

    static String file(UsersTable users) throws SQLException {
        try (Connection connection = users.connect()) {
            return LogPosition.parse(LogPlace.position(connection)).file();
        }
    }
}
