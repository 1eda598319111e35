/** Limits for gRPC servers: an interceptor, and who is calling. */
@NullMarked
package dev.sash.grpc;

import org.jspecify.annotations.NullMarked;
