package dev.sash.store;

import dev.sash.Decision;
import java.util.concurrent.CompletionStage;

/**
 * A store behind a network, as {@link CircuitBreakers} need it. Its nodes fail independently of
 * each other; a store that is one server has one node.
 */
public interface RemoteStore extends Store {
  /**
   * Returns the server that decides about a key, as far as is known now.
   *
   * @param limits the limits to decide by
   * @param key the key
   * @return a name, fit for logs; empty if there is only one server
   */
  String serverOf(ResolvedLimits limits, String key);

  /**
   * Makes a decision of its own that charges nobody, in the same way as {@link #decideAsync}: it
   * fails where a decision would.
   *
   * @param server the server to ask
   * @return completes if the server decides; never throws
   */
  CompletionStage<?> probe(String server);

  /**
   * Looks for the servers again and connects to them anew, in the background: the server has not
   * answered, or has answered with errors, for a while. Does nothing while it does so already.
   *
   * @param server the server
   */
  void reconnect(String server);

  /**
   * Gives up a request that was not answered in time. If it was not sent yet, it is withdrawn: it
   * will not be charged.
   *
   * @param request what {@link #decideAsync} returned
   * @return what this says about the server: {@link StoreException.Reason#OVERLOADED} if the
   *     request waited in a queue of this process while the server was answering
   */
  default StoreException.Reason giveUp(CompletionStage<Decision> request) {
    return StoreException.Reason.UNAVAILABLE;
  }

  /**
   * Returns for how long this process itself has been unable to handle replies: stopped, collecting
   * garbage or without a processor. A deadline that passes meanwhile begins again.
   *
   * @return a number of nanoseconds that only grows; 0 by default
   */
  default long lateNanos() {
    return 0;
  }
}
