/** Values to bytes and back. A program requires the modules of the codecs that it uses. */
@SuppressWarnings("requires-automatic") // two of the libraries have no descriptor
module dev.blobmark.codec {
    exports dev.blobmark.codec;

    requires static com.aayushatharva.brotli4j;
    requires static com.github.luben.zstd_jni;
    requires static org.lz4.java;
    requires static org.xerial.snappy;
}
