package dev.sash.server.access;

/** What an operator may do. */
public enum Right {
  /** Returns permits to a key. */
  REFUND,

  /** Resets and inspects keys, and reloads the configuration; includes {@link #REFUND}. */
  ADMIN
}
