/** What the ports of all protocols share: the addresses of clients, and bounds across protocols. */
@NullMarked
package dev.sash.server.net;

import org.jspecify.annotations.NullMarked;
