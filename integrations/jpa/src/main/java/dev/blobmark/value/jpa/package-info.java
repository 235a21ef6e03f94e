/** The value format of {@link dev.blobmark.value.ValueFormat} in JPA and Hibernate: a converter and a type. */
package dev.blobmark.value.jpa;
