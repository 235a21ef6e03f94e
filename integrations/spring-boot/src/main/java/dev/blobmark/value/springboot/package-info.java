/** The format of a column as beans of Spring Boot. */
package dev.blobmark.value.springboot;
