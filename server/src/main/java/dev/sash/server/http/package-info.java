/** The service over HTTP: checks as JSON, forward-auth for proxies, and administration. */
@NullMarked
package dev.sash.server.http;

import org.jspecify.annotations.NullMarked;
