/** Rate limiting as a service. */
@NullMarked
package dev.sash.server;

import org.jspecify.annotations.NullMarked;
