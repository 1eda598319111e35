/** Writes log lines to the standard error, for people or as JSON, without much ado. */
@NullMarked
package dev.sash.cli.log;

import org.jspecify.annotations.NullMarked;
