package dev.sash.config;

/**
 * The proxy in front of the forward-auth endpoint, and with it the header fields in which the
 * original request is described. Proxies overwrite their own fields and pass on all others as the
 * client sent them, so only one family of fields can be believed.
 */
public enum ForwardedBy {
  /** Unknown: only the client's address is read, from {@code X-Forwarded-For}. */
  NONE,
  /** nginx {@code auth_request}: the fields {@code X-Original-*}, set as documented. */
  NGINX,
  /** Traefik ForwardAuth: the fields {@code X-Forwarded-*}. */
  TRAEFIK,
  /** Caddy {@code forward_auth}: the fields {@code X-Forwarded-*}. */
  CADDY,
  /** Envoy {@code ext_authz} over HTTP: the method, host and path of the request itself. */
  ENVOY
}
