package dev.sash.server.rls;

/** The outcomes of a gRPC call that occur here. */
enum GrpcStatus {
  OK(0),
  INVALID_ARGUMENT(3),
  DEADLINE_EXCEEDED(4),
  NOT_FOUND(5),
  RESOURCE_EXHAUSTED(8),
  UNIMPLEMENTED(12),
  INTERNAL(13),
  UNAVAILABLE(14);

  private final int code;

  GrpcStatus(int code) {
    this.code = code;
  }

  /** Its number in the protocol. */
  int code() {
    return code;
  }
}
