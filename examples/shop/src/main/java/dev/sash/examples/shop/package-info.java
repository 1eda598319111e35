/** A Spring Boot application whose requests are limited, by its configuration alone. */
@NullMarked
package dev.sash.examples.shop;

import org.jspecify.annotations.NullMarked;
