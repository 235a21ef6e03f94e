/** A format for values in a database, whose readers also read what was stored before. */
module dev.blobmark.value {
    exports dev.blobmark.value;

    requires transitive dev.blobmark.codec;
    requires transitive java.sql;
}
