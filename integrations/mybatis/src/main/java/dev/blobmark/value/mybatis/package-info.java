/** The value format of {@link dev.blobmark.value.ValueFormat} in MyBatis: a type handler. */
package dev.blobmark.value.mybatis;
