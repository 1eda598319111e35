/** Which beans there are, and when. */
@NullMarked
package dev.sash.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
