/** What counts the hits of one descriptor: a limit of Envoy's form, or a policy. */
@NullMarked
package dev.sash.server.rls.counter;

import org.jspecify.annotations.NullMarked;
