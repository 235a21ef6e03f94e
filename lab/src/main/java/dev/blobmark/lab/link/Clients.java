package dev.blobmark.lab.link;

/** Whose connections a {@link LinkProxy} relays. */
public enum Clients {
    /** Processes of this process's user, on the loopback interface. */
    SAME_USER,
    /** All that can reach the address. */
    ALL
}
