package dev.blobmark.cli.violations.lab;

/** Lies where nothing may lie. */
public class Violation {}
