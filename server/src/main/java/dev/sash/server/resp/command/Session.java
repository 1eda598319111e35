package dev.sash.server.resp.command;

import dev.sash.server.access.Right;
import java.util.EnumSet;
import java.util.Set;

/** The state of a connection that commands can change. Not thread-safe. */
final class Session {
  private final long id;
  private final boolean needsPassword;
  private final Set<Right> rights = EnumSet.noneOf(Right.class);
  private boolean authenticated;
  private boolean resp3;
  private String name = "";
  private String library = "";
  private String libraryVersion = "";

  Session(long id, boolean needsPassword) {
    this.id = id;
    this.needsPassword = needsPassword;
  }

  long id() {
    return id;
  }

  /** Whether the client must authenticate first. */
  boolean isLocked() {
    return needsPassword && !authenticated;
  }

  void authenticate() {
    authenticated = true;
  }

  /** Whether the client has authenticated with a token that grants the right. */
  boolean has(Right right) {
    return rights.contains(right) || rights.contains(Right.ADMIN);
  }

  void grant(Right right) {
    rights.add(right);
  }

  boolean isResp3() {
    return resp3;
  }

  void resp3(boolean yes) {
    resp3 = yes;
  }

  String name() {
    return name;
  }

  void name(String newName) {
    name = newName;
  }

  void library(String newLibrary) {
    library = newLibrary;
  }

  void libraryVersion(String version) {
    libraryVersion = version;
  }

  /** As if the client had just connected. */
  void reset() {
    authenticated = false;
    rights.clear();
    resp3 = false;
    name = "";
  }

  /** Returns the reply to CLIENT INFO. */
  String info(String peer) {
    return "id=%d addr=%s name=%s db=0 lib-name=%s lib-ver=%s resp=%d"
        .formatted(id, peer, name, library, libraryVersion, resp3 ? 3 : 2);
  }
}
