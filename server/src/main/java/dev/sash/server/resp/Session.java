package dev.sash.server.resp;

/** What a client has said of itself. Not thread-safe. */
final class Session {
  private final long id;
  private final boolean needsPassword;
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

  /** Whether nothing may be asked yet. */
  boolean isLocked() {
    return needsPassword && !authenticated;
  }

  /** Whether the client has told a password, and the right one. */
  boolean isAuthenticated() {
    return authenticated;
  }

  void authenticate() {
    authenticated = true;
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
    resp3 = false;
    name = "";
  }

  /** As CLIENT INFO tells it. */
  String info(String peer) {
    return "id=%d addr=%s name=%s db=0 lib-name=%s lib-ver=%s resp=%d"
        .formatted(id, peer, name, library, libraryVersion, resp3 ? 3 : 2);
  }
}
