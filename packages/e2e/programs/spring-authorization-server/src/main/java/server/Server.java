package server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.jdbc.JdbcDaoImpl;
import org.springframework.security.crypto.argon2.Argon2PasswordEncoder;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import org.springframework.security.crypto.password.DelegatingPasswordEncoder;
import org.springframework.security.crypto.password.NoOpPasswordEncoder;
import org.springframework.security.crypto.password.PasswordEncoder;
import org.springframework.security.crypto.password.Pbkdf2PasswordEncoder;
import org.springframework.security.crypto.scrypt.SCryptPasswordEncoder;
import org.springframework.security.oauth2.core.AuthorizationGrantType;
import org.springframework.security.oauth2.core.ClientAuthenticationMethod;
import org.springframework.security.oauth2.jose.jws.SignatureAlgorithm;
import org.springframework.security.oauth2.server.authorization.client.JdbcRegisteredClientRepository;
import org.springframework.security.oauth2.server.authorization.client.RegisteredClient;
import org.springframework.security.oauth2.server.authorization.settings.ClientSettings;
import org.springframework.security.oauth2.server.authorization.settings.OAuth2TokenFormat;
import org.springframework.security.oauth2.server.authorization.settings.TokenSettings;
import org.springframework.security.provisioning.JdbcUserDetailsManager;

/** Registers clients and users in the tables of Spring Authorization Server and Spring Security, by their own code, and ends. */
@SpringBootApplication
public class Server {
  public static void main(String[] arguments) {
    SpringApplication.run(Server.class, arguments).close();
  }

  @Bean
  CommandLineRunner register(DataSource database) {
    return arguments -> {
      var schema = "org/springframework/security/oauth2/server/authorization/client/oauth2-registered-client-schema.sql";
      new ResourceDatabasePopulator(new ClassPathResource(schema), schemaOfUsers(), schemaOfGroups()).execute(database);
      registerClients(new JdbcRegisteredClientRepository(new JdbcTemplate(database)));
      createUsers(new JdbcUserDetailsManager(database));
    };
  }

  /** Of Spring Security, which has a type of HSQLDB for texts. */
  private Resource schemaOfUsers() throws IOException {
    var text = new ClassPathResource(JdbcDaoImpl.DEFAULT_USER_SCHEMA_DDL_LOCATION).getContentAsString(UTF_8);
    return new ByteArrayResource(text.replace("varchar_ignorecase", "varchar").getBytes(UTF_8));
  }

  /** That of Spring Security's manual, which no package has. */
  private Resource schemaOfGroups() {
    var text = """
        create table groups(id bigint auto_increment primary key, group_name varchar(50) not null);
        create table group_authorities(group_id bigint not null, authority varchar(50) not null,
          constraint fk_group_authorities_group foreign key(group_id) references groups(id));
        create table group_members(id bigint auto_increment primary key, username varchar(50) not null, group_id bigint not null,
          constraint fk_group_members_group foreign key(group_id) references groups(id));
        """;
    return new ByteArrayResource(text.getBytes(UTF_8));
  }

  private void registerClients(JdbcRegisteredClientRepository clients) {
    clients.save(client("shop", "bcrypt", client -> client
        .clientName("The shop")
        .clientAuthenticationMethod(ClientAuthenticationMethod.CLIENT_SECRET_BASIC)
        .authorizationGrantType(AuthorizationGrantType.AUTHORIZATION_CODE)
        .authorizationGrantType(AuthorizationGrantType.REFRESH_TOKEN)
        .redirectUri("https://shop.example.com/cb")
        .redirectUri("http://127.0.0.1:8080/authorized")
        .postLogoutRedirectUri("https://shop.example.com/bye")
        .scope("openid").scope("profile").scope("orders.read")
        .clientSettings(ClientSettings.builder().requireProofKey(true).build())
        .tokenSettings(TokenSettings.builder()
            .accessTokenTimeToLive(Duration.ofMinutes(20))
            .refreshTokenTimeToLive(Duration.ofDays(7))
            .authorizationCodeTimeToLive(Duration.ofMinutes(2))
            .idTokenSignatureAlgorithm(SignatureAlgorithm.ES256)
            .build())));
    clients.save(client("nightly", "pbkdf2@SpringSecurity_v5_8", client -> client
        .clientAuthenticationMethod(ClientAuthenticationMethod.CLIENT_SECRET_BASIC)
        .clientAuthenticationMethod(ClientAuthenticationMethod.CLIENT_SECRET_POST)
        .authorizationGrantType(AuthorizationGrantType.CLIENT_CREDENTIALS)
        .scope("profile")
        .clientSettings(ClientSettings.builder().setting("team", "shop").build())
        .tokenSettings(TokenSettings.builder().accessTokenTimeToLive(Duration.ofSeconds(90)).build())));
    clients.save(client("till", "scrypt@SpringSecurity_v5_8", client -> client
        .clientAuthenticationMethod(ClientAuthenticationMethod.CLIENT_SECRET_POST)
        .authorizationGrantType(AuthorizationGrantType.CLIENT_CREDENTIALS)
        .scope("profile")
        .tokenSettings(TokenSettings.builder()
            .accessTokenFormat(OAuth2TokenFormat.REFERENCE)
            .accessTokenTimeToLive(Duration.ofDays(2))
            .build())));
    clients.save(client("ledger", "argon2@SpringSecurity_v5_8", client -> client
        .clientAuthenticationMethod(ClientAuthenticationMethod.CLIENT_SECRET_BASIC)
        .authorizationGrantType(AuthorizationGrantType.CLIENT_CREDENTIALS)
        .clientSecretExpiresAt(Instant.parse("2035-01-02T03:04:05Z"))
        .scope("profile")));
    clients.save(client("demo", "noop", client -> client
        .clientAuthenticationMethod(ClientAuthenticationMethod.CLIENT_SECRET_BASIC)
        .authorizationGrantType(AuthorizationGrantType.CLIENT_CREDENTIALS)
        .authorizationGrantType(AuthorizationGrantType.TOKEN_EXCHANGE)
        .scope("profile")));
    clients.save(client("page", null, client -> client
        .clientName("A page")
        .clientAuthenticationMethod(ClientAuthenticationMethod.NONE)
        .authorizationGrantType(AuthorizationGrantType.AUTHORIZATION_CODE)
        .redirectUri("https://page.example.com/cb")
        .scope("openid")
        .clientSettings(ClientSettings.builder().requireProofKey(true).build())));
    clients.save(client("tv", null, client -> client
        .clientAuthenticationMethod(ClientAuthenticationMethod.NONE)
        .clientName("The television")
        .authorizationGrantType(AuthorizationGrantType.DEVICE_CODE)
        .authorizationGrantType(AuthorizationGrantType.REFRESH_TOKEN)
        .scope("openid")
        .tokenSettings(TokenSettings.builder().deviceCodeTimeToLive(Duration.ofMinutes(30)).build())));
    clients.save(client("keyed", null, client -> client
        .clientAuthenticationMethod(ClientAuthenticationMethod.PRIVATE_KEY_JWT)
        .authorizationGrantType(AuthorizationGrantType.CLIENT_CREDENTIALS)
        .scope("profile")
        .clientSettings(ClientSettings.builder()
            .jwkSetUrl("https://keyed.example.com/jwks")
            .tokenEndpointAuthenticationSigningAlgorithm(SignatureAlgorithm.RS256)
            .build())));
    clients.save(client("vault", null, client -> client
        .clientAuthenticationMethod(ClientAuthenticationMethod.TLS_CLIENT_AUTH)
        .authorizationGrantType(AuthorizationGrantType.CLIENT_CREDENTIALS)
        .scope("profile")
        .clientSettings(ClientSettings.builder().x509CertificateSubjectDN("CN=vault").build())
        .tokenSettings(TokenSettings.builder().x509CertificateBoundAccessTokens(true).build())));
    clients.save(client("lapsed", "bcrypt", client -> client
        .clientAuthenticationMethod(ClientAuthenticationMethod.CLIENT_SECRET_BASIC)
        .authorizationGrantType(AuthorizationGrantType.CLIENT_CREDENTIALS)
        .clientSecretExpiresAt(Instant.parse("2024-01-02T03:04:05Z"))
        .scope("profile")));
    clients.save(client("partner", "bcrypt", client -> client
        .clientAuthenticationMethod(ClientAuthenticationMethod.CLIENT_SECRET_BASIC)
        .authorizationGrantType(AuthorizationGrantType.AUTHORIZATION_CODE)
        .redirectUri("https://partner.example.org/cb")
        .redirectUri("http://partner.example.org/cb")
        .scope("openid").scope("email")
        .clientSettings(ClientSettings.builder().requireProofKey(false).requireAuthorizationConsent(true).build())
        .tokenSettings(TokenSettings.builder().idTokenSignatureAlgorithm(SignatureAlgorithm.PS256).build())));
  }

  /** A client whose secret is encoded by this encoder; none where it is null. */
  private RegisteredClient client(String name, String encoder, Consumer<RegisteredClient.Builder> settle) {
    var client = RegisteredClient.withId(UUID.randomUUID().toString())
        .clientId(name)
        .clientIdIssuedAt(Instant.now().truncatedTo(ChronoUnit.SECONDS));
    if (encoder != null) client.clientSecret(encodedBy(encoder).encode("the secret of " + name));
    settle.accept(client);
    return client.build();
  }

  private void createUsers(JdbcUserDetailsManager users) {
    createUser(users, "bea", "bcrypt", false, "ROLE_USER", "ROLE_ADMIN");
    createUser(users, "pia", "pbkdf2@SpringSecurity_v5_8", false, "ROLE_USER");
    createUser(users, "sven", "scrypt@SpringSecurity_v5_8", false, "ROLE_USER");
    createUser(users, "anna@elsewhere.example", "argon2@SpringSecurity_v5_8", false, "message.read");
    createUser(users, "nora", "noop", false, "ROLE_USER");
    createUser(users, "dora", "bcrypt", true, "ROLE_USER");
    // More than the 1024 bytes that MySQL gives of a list.
    createUser(users, "mia", "bcrypt", false, IntStream.range(100, 200).mapToObj(each -> "warehouse:" + each).toArray(String[]::new));
    users.createGroup("The stock", AuthorityUtils.createAuthorityList("stock:read", "stock:write"));
    users.addUserToGroup("pia", "The stock");
  }

  private void createUser(JdbcUserDetailsManager users, String name, String encoder, boolean disabled, String... authorities) {
    var password = encodedBy(encoder).encode("the password of " + name);
    users.createUser(User.withUsername(name).password(password).disabled(disabled).authorities(authorities).build());
  }

  @SuppressWarnings("deprecation")
  private PasswordEncoder encodedBy(String name) {
    return new DelegatingPasswordEncoder(name, Map.of(
        "bcrypt", new BCryptPasswordEncoder(),
        "pbkdf2@SpringSecurity_v5_8", Pbkdf2PasswordEncoder.defaultsForSpringSecurity_v5_8(),
        "scrypt@SpringSecurity_v5_8", SCryptPasswordEncoder.defaultsForSpringSecurity_v5_8(),
        "argon2@SpringSecurity_v5_8", Argon2PasswordEncoder.defaultsForSpringSecurity_v5_8(),
        "noop", NoOpPasswordEncoder.getInstance()));
  }
}
