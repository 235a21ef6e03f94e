package dev.blobmark.lab.machine;

/** A program that keeps cores awake, to be killed: tells the spinners' process, and waits for its input to end. */
final class SpinnersOwner {

    private SpinnersOwner() {}

    public static void main(String[] arguments) throws Exception {
        try (KeepAwake awake = KeepAwake.start()) {
            System.out.println(awake.pid());
            System.in.read();
        }
    }
}
