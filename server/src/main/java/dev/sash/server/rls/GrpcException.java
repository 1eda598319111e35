package dev.sash.server.rls;

/** Ends a call with a status that is the caller's to know. Costs no stack trace. */
final class GrpcException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final GrpcStatus status;

  GrpcException(GrpcStatus status, String message) {
    super(message, null, false, false);
    this.status = status;
  }

  static GrpcException invalid(String message) {
    return new GrpcException(GrpcStatus.INVALID_ARGUMENT, message);
  }

  GrpcStatus status() {
    return status;
  }
}
