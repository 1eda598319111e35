/** Where Redis is: by a property of ours, or by the connection that Spring has. */
@NullMarked
package dev.sash.spring.redis;

import org.jspecify.annotations.NullMarked;
