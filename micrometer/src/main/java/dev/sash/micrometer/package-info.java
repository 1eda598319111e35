/** What limiters decide and how long their stores take, as Micrometer meters and observations. */
@NullMarked
package dev.sash.micrometer;

import org.jspecify.annotations.NullMarked;
