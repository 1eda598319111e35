package dev.sash.server.resp.codec;

import dev.sash.server.net.PeerAddress;

/** The connection to a client. Used from one thread, except for {@link #soon}. */
public interface Wire {
  /**
   * Sends the first bytes of an array, which stays the caller's.
   *
   * @param bytes the array
   * @param length the number of bytes
   */
  void send(byte[] bytes, int length);

  /**
   * Returns whether more was sent than the client has read, so that sending should wait.
   *
   * @return true until the client has read enough
   */
  boolean isFull();

  /** Stops receiving. */
  void pause();

  /** Receives again. */
  void resume();

  /**
   * Ends the output. Input that still comes must be read and discarded: closing a connection with
   * unread input would discard the last replies.
   */
  void endOutput();

  /** Closes the connection at once. */
  void close();

  /**
   * Runs a task on the thread of the conversation. May be called from any thread.
   *
   * @param task the task
   */
  void soon(Runnable task);

  /**
   * Returns the address of the client.
   *
   * @return the address
   */
  PeerAddress peer();
}
