package dev.blobmark.fleet.host;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Who may replace what is at a path. The user of this process and root may. The same as in the module {@code mysql},
 * which is neither in executors nor in the driver of {@code spark-submit}.
 */
public final class Ownership {

    /** Of a group (stat(2)). */
    private static final int GROUP_WRITE = 0020;

    private static final int OTHERS_WRITE = 0002;

    /** Only its owner may rename or remove an entry of such a directory. */
    private static final int STICKY = 01000;

    private static final int ROOT = 0;

    /** On macOS, whose members may become root (sudoers(5)), and may write where Homebrew installs programs. */
    private static final int ADMINISTRATORS = 80;

    private static final boolean IS_MAC = System.getProperty("os.name").startsWith("Mac");

    /** As Linux has it (path_resolution(7)). */
    private static final int MOST_LINKS = 40;

    private Ownership() {}

    /** The user of this process, and the group. */
    private record User(int id, int group) {

        /** The JDK has 0 for a user without an entry in passwd(5), as in a container that is started for any number. */
        static User ofThisProcess() throws IOException {
            UnixSystem system = new UnixSystem();
            if (system.getUsername() != null) {
                return new User((int) system.getUid(), (int) system.getGid());
            }
            Map<String, Object> process = Files.readAttributes(Path.of("/proc/self"), "unix:uid,gid");
            return new User((int) process.get("uid"), (int) process.get("gid"));
        }
    }

    /**
     * How another user may replace a file, or what is in a directory; empty if none may. Each directory above is
     * examined, and each link. One above in which others may write is accepted if it is sticky, as {@code /tmp} is,
     * because what is below belongs to this user or root.
     *
     * @param path what does not exist is not examined
     */
    public static Optional<String> problem(Path path) throws IOException {
        if (!path.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            return Optional.empty();
        }
        return problem(path.toAbsolutePath(), true, MOST_LINKS);
    }

    private static Optional<String> problem(Path absolute, boolean isLast, int links) throws IOException {
        if (links == 0) {
            throw new FileSystemLoopException(absolute.toString());
        }
        User user = User.ofThisProcess();
        for (int names = 0; names <= absolute.getNameCount(); names++) {
            Path each = names == 0 ? absolute.getRoot() : absolute.getRoot().resolve(absolute.subpath(0, names));
            boolean isEnd = isLast && names == absolute.getNameCount();
            Map<String, Object> found;
            try {
                found = Files.readAttributes(each, "unix:uid,gid,mode,isSymbolicLink", LinkOption.NOFOLLOW_LINKS);
            } catch (NoSuchFileException e) {
                return Optional.empty();
            }
            int owner = (int) found.get("uid");
            int mode = (int) found.get("mode");
            if (owner != user.id && owner != ROOT) {
                return Optional.of(each + " belongs to "
                        + Files.getOwner(each, LinkOption.NOFOLLOW_LINKS).getName());
            }
            if ((boolean) found.get("isSymbolicLink")) {
                Optional<String> ofTarget =
                        problem(each.resolveSibling(Files.readSymbolicLink(each)), isEnd, links - 1);
                if (ofTarget.isPresent()) {
                    return ofTarget;
                }
            } else if (isWritable(mode, (int) found.get("gid"), user) && ((mode & STICKY) == 0 || isEnd)) {
                return Optional.of("other users may write to " + each);
            }
        }
        return Optional.empty();
    }

    /**
     * A group with the number of the user is the user's own, as many systems make it with umask 002. Group 0 is
     * nobody's own. Where a file has an access control list, the bits of the group are its mask (acl(5)): users of the
     * list may then write too, and Java cannot read it.
     */
    private static boolean isWritable(int mode, int group, User user) {
        boolean isOwnGroup = group != ROOT && group == user.group && group == user.id;
        boolean isOfAdministrators = IS_MAC && group == ADMINISTRATORS;
        return (mode & OTHERS_WRITE) != 0 || (mode & GROUP_WRITE) != 0 && !isOwnGroup && !isOfAdministrators;
    }
}
