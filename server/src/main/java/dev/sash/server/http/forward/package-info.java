/** Forward authentication: requests of proxies about the requests of their clients. */
@NullMarked
package dev.sash.server.http.forward;

import org.jspecify.annotations.NullMarked;
