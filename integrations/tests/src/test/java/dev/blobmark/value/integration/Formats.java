package dev.blobmark.value.integration;

import dev.blobmark.value.Legacy;
import dev.blobmark.value.ValueFormat;

/** The format of the column, where libraries that make their converters themselves find it. */
final class Formats {

    static final ValueFormat PAYLOAD =
            ValueFormat.builder().reads(Legacy.RAW).writes("zstd:3").build();

    private Formats() {}
}
