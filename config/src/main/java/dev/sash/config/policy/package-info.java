/** Policies with the settings that a file adds to their limits. */
@NullMarked
package dev.sash.config.policy;

import org.jspecify.annotations.NullMarked;
