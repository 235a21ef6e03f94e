package dev.blobmark.cli;

/** Changes of a table of a real MySQL. */
class ReencodeMySqlIT extends ReencodeContract {

    @Override
    String product() {
        return "MySQL";
    }

    @Override
    String source() {
        return "mysqld:" + UsersServer.requireMySql();
    }
}
