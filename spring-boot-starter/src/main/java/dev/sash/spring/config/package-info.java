/**
 * From properties to policies: what may be configured, what it means, and what is wrong with it.
 */
@NullMarked
package dev.sash.spring.config;

import org.jspecify.annotations.NullMarked;
