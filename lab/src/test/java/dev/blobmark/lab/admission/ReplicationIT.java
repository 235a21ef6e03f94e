package dev.blobmark.lab.admission;

class ReplicationIT extends ReplicationContract {

    @Override
    String what() {
        return "embedded";
    }
}
