/** The service over HTTP: questions as JSON, forward-auth for proxies, and what operators need. */
@NullMarked
package dev.sash.server.http;

import org.jspecify.annotations.NullMarked;
