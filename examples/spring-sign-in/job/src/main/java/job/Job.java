// Calls an API as a machine, step by step in docs/guides/spring.md.
package job;

import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.security.oauth2.client.AuthorizedClientServiceOAuth2AuthorizedClientManager;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClientService;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.client.web.client.OAuth2ClientHttpRequestInterceptor;
import org.springframework.web.client.RestClient;

@SpringBootApplication
public class Job {
  // What the machine calls; put your own in its place.
  private static final String API =
      "http://localhost:9001/organization/api/organization/user/allDetails/userId/robot@example.com";

  public static void main(String[] arguments) {
    SpringApplication.run(Job.class, arguments);
  }

  // Asks for a token, keeps it until it expires, and sends it with each request.
  @Bean
  RestClient http(ClientRegistrationRepository clients, OAuth2AuthorizedClientService tokens) {
    var manager = new AuthorizedClientServiceOAuth2AuthorizedClientManager(clients, tokens);
    var interceptor = new OAuth2ClientHttpRequestInterceptor(manager);
    interceptor.setClientRegistrationIdResolver(request -> "gatehouse");
    return RestClient.builder().requestInterceptor(interceptor).build();
  }

  @Bean
  ApplicationRunner call(RestClient http) {
    return arguments -> System.out.println(http.get().uri(API).retrieve().body(String.class));
  }
}
