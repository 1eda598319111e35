package dev.sash.server.resp.command;

import dev.sash.server.resp.codec.RespParser;
import java.time.Duration;

/**
 * What one client may use.
 *
 * @param request the size of a request
 * @param requestTimeout the time to complete a request or a transaction, to authenticate, or to
 *     read replies
 * @param idleTimeout the time after which a silent connection is closed; zero for never
 * @param maxPending the most requests that wait for their decision
 */
public record ConversationBounds(
    RespParser.Bounds request, Duration requestTimeout, Duration idleTimeout, int maxPending) {}
