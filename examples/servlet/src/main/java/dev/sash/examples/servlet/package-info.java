/** A servlet on embedded Jetty whose requests are limited. */
@NullMarked
package dev.sash.examples.servlet;

import org.jspecify.annotations.NullMarked;
