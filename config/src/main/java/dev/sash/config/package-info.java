/** Policies from YAML files: what they may say, and what is wrong with them. */
@NullMarked
package dev.sash.config;

import org.jspecify.annotations.NullMarked;
