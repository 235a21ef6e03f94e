package dev.blobmark.lab.guest;

class ReplicationTest extends ReplicationContract {

    @Override
    String what() {
        return "embedded";
    }
}
