package dev.blobmark.cli;

/** Changes of a table of a MariaDB. */
class ReencodeIT extends ReencodeContract {

    @Override
    String product() {
        return "MariaDB";
    }

    @Override
    String source() {
        return "embedded";
    }
}
