package dev.sash.examples.shop;

import jakarta.servlet.DispatcherType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/**
 * Login by form and by Basic, as Spring Security has it. Contains no code for limits either: Sash
 * receives the outcome of each login from Spring Security.
 */
@Configuration(proxyBeanMethods = false)
class Security {
  @Bean
  SecurityFilterChain chain(HttpSecurity http) {
    return http.authorizeHttpRequests(
            requests ->
                requests
                    // Otherwise browsers would get the login page in place of ApiKeyFilter's 401.
                    .dispatcherTypeMatchers(DispatcherType.ERROR)
                    .permitAll()
                    .requestMatchers("/api/search", "/api/uploads", "/api/status")
                    .permitAll()
                    .anyRequest()
                    .authenticated())
        .formLogin(form -> form.defaultSuccessUrl("/api/orders"))
        .httpBasic(Customizer.withDefaults())
        // A token protects what the session's cookie alone would allow, and stays required for
        // everything but these two: uploads are public, and a login needs the password, so that
        // one curl command is enough to try it. Leave it on for /login if browsers use it: another
        // site could log your user in to an account of its own.
        .csrf(csrf -> csrf.ignoringRequestMatchers("/api/uploads", "/login"))
        .build();
  }

  /** Returns the only user, whose password is in plain text because this is no real shop. */
  @Bean
  UserDetailsService users() {
    return new InMemoryUserDetailsManager(
        User.withUsername("ann").password("{noop}sesame").build());
  }
}
