package dev.blobmark.cli.violations.codec;

import java.sql.SQLException;

/** A codec that knows JDBC and the lab. */
public class Violation {

    public static void look() throws SQLException {
        dev.blobmark.cli.violations.lab.study.Violation.look();
        throw new SQLException();
    }
}
