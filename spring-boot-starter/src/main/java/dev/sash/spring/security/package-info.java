/** Charges failed logins, as Spring Security reports them. */
@NullMarked
package dev.sash.spring.security;

import org.jspecify.annotations.NullMarked;
