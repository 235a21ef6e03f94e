package dev.blobmark.lab.admission;

class ReplicationTest extends ReplicationContract {

    @Override
    String what() {
        return "embedded";
    }
}
