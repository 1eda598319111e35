/** Limits of the calls of a gRPC server that Spring runs. */
@NullMarked
package dev.sash.spring.grpc;

import org.jspecify.annotations.NullMarked;
