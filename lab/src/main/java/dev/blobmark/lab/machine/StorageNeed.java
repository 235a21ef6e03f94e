package dev.blobmark.lab.machine;

import static dev.blobmark.lab.machine.Quantities.bytes;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * A place for files of a run.
 *
 * @param what name of the check
 * @param directory exists, or will be created
 * @param neededBytes that a run writes there
 */
record StorageNeed(String what, Path directory, long neededBytes) {

    private static final List<String> REMOTE = List.of("nfs", "cifs", "smb", "9p", "virtiofs", "fuse", "afs", "ceph");

    Finding finding() {
        Path existing = directory.toAbsolutePath();
        while (!Files.exists(existing)) {
            existing = existing.getParent();
        }
        try {
            FileStore store = Files.getFileStore(existing);
            return judge(store.type(), store.getUsableSpace());
        } catch (IOException e) {
            return Finding.unknown(what, "the system reports nothing about " + existing + ": " + e.getMessage());
        }
    }

    /** @param type of the file system, as the system names it */
    Finding judge(String type, long freeBytes) {
        String kind = type.toLowerCase(Locale.ROOT);
        String observed = bytes(freeBytes) + " free, " + (type.isEmpty() ? "unknown file system" : type);
        if (freeBytes < neededBytes) {
            return Finding.warning(
                    what,
                    observed + ", for about " + bytes(neededBytes),
                    "The run stops when the disk is full.",
                    "Free some space, or choose another disk: XDG_CACHE_HOME for tables and values, --out for the run.");
        }
        if (REMOTE.stream().anyMatch(kind::startsWith)) {
            return Finding.warning(
                    what,
                    observed,
                    "Files are read and synced over a network, which slows down writes.",
                    "Choose a local disk: XDG_CACHE_HOME for tables and values, --out for the run.");
        }
        return switch (kind) {
            case "tmpfs", "ramfs" ->
                Finding.note(what, observed, "Files are in memory. No disk is measured, and less memory is free.", "");
            case "overlay", "aufs", "zfs", "btrfs" ->
                Finding.note(
                        what,
                        observed,
                        "The file system copies on write or compresses, which affects disk bytes and writes.",
                        "To measure writes or disk bytes, use ext4 or xfs (XDG_CACHE_HOME).");
            default -> Finding.ok(what, observed);
        };
    }
}
