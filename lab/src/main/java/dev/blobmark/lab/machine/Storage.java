package dev.blobmark.lab.machine;

import static dev.blobmark.lab.machine.Quantities.bytes;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * Where files of a run will lie.
 *
 * @param what it is for
 * @param directory that is, or will be made
 * @param neededBytes that a run puts there
 */
record Storage(String what, Path directory, long neededBytes) {

    private static final List<String> REMOTE = List.of("nfs", "cifs", "smb", "9p", "virtiofs", "fuse", "afs", "ceph");

    Finding finding() {
        Path there = directory.toAbsolutePath();
        while (!Files.exists(there)) {
            there = there.getParent();
        }
        try {
            FileStore store = Files.getFileStore(there);
            return judge(store.type(), store.getUsableSpace());
        } catch (IOException e) {
            return Finding.unknown(what, "the system does not tell of " + there + ": " + e.getMessage());
        }
    }

    /** @param type of the file system, as the system calls it */
    Finding judge(String type, long freeBytes) {
        String kind = type.toLowerCase(Locale.ROOT);
        String observed = bytes(freeBytes) + " free, " + (type.isEmpty() ? "unknown file system" : type);
        if (freeBytes < neededBytes) {
            return Finding.warning(
                    what,
                    observed + ", for about " + bytes(neededBytes),
                    "The run stops when the disk is full.",
                    "Free some space, or have it elsewhere: XDG_CACHE_HOME for tables and values, --out for the run.");
        }
        if (REMOTE.stream().anyMatch(kind::startsWith)) {
            return Finding.warning(
                    what,
                    observed,
                    "Files of other machines are read and synced over a network: writes measure that.",
                    "Have it on a local disk: XDG_CACHE_HOME for tables and values, --out for the run.");
        }
        return switch (kind) {
            case "tmpfs", "ramfs" ->
                Finding.note(what, observed, "It is memory: no disk is measured, and the files take from it.", "");
            case "overlay", "aufs", "zfs", "btrfs" ->
                Finding.note(
                        what,
                        observed,
                        "It copies on write or compresses by itself: the disk bytes and writes are its own too.",
                        "To measure writes or disk bytes, use ext4 or xfs (XDG_CACHE_HOME).");
            default -> Finding.ok(what, observed);
        };
    }
}
