package dev.sash.server.resp;

import dev.sash.server.net.PeerAddress;

/** The other end of a conversation, as far as it matters to it. Used from one thread. */
interface Wire {
  /** Sends the first bytes of an array, which stays the caller's. */
  void send(byte[] bytes, int length);

  /** Whether more was sent than the other end has taken yet, so that sending had better wait. */
  boolean isFull();

  /** Stops receiving. */
  void pause();

  /** Receives again. */
  void resume();

  /**
   * Nothing more is sent. What still comes is to be thrown away: who closes a connection with
   * something unread takes back what it sent last.
   */
  void endOutput();

  /** Ends the connection at once. */
  void close();

  /** Runs something on the conversation's thread. May be called from any thread. */
  void soon(Runnable task);

  /** The address of the other end. */
  PeerAddress peer();
}
