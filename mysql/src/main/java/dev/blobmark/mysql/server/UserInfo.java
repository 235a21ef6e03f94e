package dev.blobmark.mysql.server;

import java.util.regex.Pattern;

/** Users and passwords in addresses, where they must not be. */
public final class UserInfo {

    /** Also after a typing error. A password may have slashes and at signs. */
    private static final Pattern BEFORE_HOST = Pattern.compile("(?s)([A-Za-z][\\w+.-]*:/{0,3}).*@");

    /** A port with a path behind it is none. */
    private static final Pattern PASSWORD = Pattern.compile("(?s):/+[^/@:]*:(?!\\d{1,5}/).*@");

    private UserInfo() {}

    /** A text that may be an address, for a message: without what is before the last at sign. */
    public static String hidden(String text) {
        return BEFORE_HOST.matcher(text).replaceFirst("$1…@");
    }

    /** Whether an address has a password. */
    public static boolean hasPassword(String address) {
        return PASSWORD.matcher(address).find();
    }
}
