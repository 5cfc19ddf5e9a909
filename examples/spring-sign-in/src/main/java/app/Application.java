// Signs people in with Gatehouse, step by step in docs/guides/spring.md.
package app;

import static org.springframework.web.util.HtmlUtils.htmlEscape;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.annotation.RegisteredOAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.oidc.web.logout.OidcClientInitiatedLogoutSuccessHandler;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

@SpringBootApplication
@RestController
public class Application {
  private static final Logger log = LoggerFactory.getLogger(Application.class);

  private final RestClient http = RestClient.create();

  @Value("${app.origin}")
  private String origin;

  @Value("${app.api}")
  private String api;

  public static void main(String[] arguments) {
    SpringApplication.run(Application.class, arguments);
  }

  @Bean
  SecurityFilterChain security(HttpSecurity security, ClientRegistrationRepository clients) {
    // POST /logout ends the session here, then the one at Gatehouse.
    var signOut = new OidcClientInitiatedLogoutSuccessHandler(clients);
    signOut.setPostLogoutRedirectUri(origin + "/");
    return security
        .authorizeHttpRequests(requests -> requests.requestMatchers("/").permitAll().anyRequest().authenticated())
        .oauth2Login(login -> login.failureHandler((request, response, fault) -> {
          log.warn("the sign-in failed: {}", fault.getMessage());
          response.sendRedirect("/");
        }))
        .logout(logout -> logout.logoutSuccessHandler(signOut))
        .build();
  }

  @GetMapping("/")
  String start() {
    return "<h1>My application</h1><a href=\"/account\">My account</a>";
  }

  // `client` has the user's access token, renewed where it has expired.
  @GetMapping("/account")
  String account(
      @AuthenticationPrincipal OidcUser user,
      @RegisteredOAuth2AuthorizedClient("gatehouse") OAuth2AuthorizedClient client,
      CsrfToken csrf) {
    var details = http.get()
        .uri(api, user.getPreferredUsername())
        .headers(headers -> headers.setBearerAuth(client.getAccessToken().getTokenValue()))
        .retrieve()
        .body(String.class);
    return """
        <h1>Hello, %s</h1><p>%s</p><pre>%s</pre>
        <form method="post" action="/logout"><input type="hidden" name="_csrf" value="%s"><button>Sign out</button></form>
        """.formatted(htmlEscape(user.getFullName()), htmlEscape(user.getEmail()), htmlEscape(details), csrf.getToken());
  }
}
