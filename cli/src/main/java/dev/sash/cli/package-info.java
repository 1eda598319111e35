/** The {@code sash} command: {@link dev.sash.cli.Main} reads the arguments and runs the demo. */
@NullMarked
package dev.sash.cli;

import org.jspecify.annotations.NullMarked;
