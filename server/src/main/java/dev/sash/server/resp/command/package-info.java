/** The commands of the RESP port, and the conversations in which clients send them. */
@NullMarked
package dev.sash.server.resp.command;

import org.jspecify.annotations.NullMarked;
