export type Severity = 'error' | 'warning';

/** A check, as its finding says it. `why` is the standard and its section, or the page of Gatehouse. */
export interface Check {
  severity: Severity;
  expected: string;
  why: string;
  mend: string;
}

const row = (severity: Severity, expected: string, why: string, mend: string): Check => ({
  ...{ severity, expected, why, mend },
});

/**
 * Every check by its id, `group.name`. An error is a fault by a MUST of its standard, or by a rule that Gatehouse sets its operators, that
 * no other server is to blame for; all else is a warning.
 */
export const checks = {
  'tls.https': row(
    'error',
    'the issuer is an https address',
    'OpenID Connect Discovery 3, RFC 8414 2',
    'Serve the issuer by https alone, and give clients that address.',
  ),
  'tls.loopback': row(
    'warning',
    'the issuer is an https address; by http only this machine reaches it',
    'OpenID Connect Discovery 3, RFC 8414 2',
    'Leave it so while you develop; serve others by https.',
  ),
  'tls.chain': row(
    'error',
    'a chain of certificates to an authority that is trusted',
    'RFC 9110 4.3.4, RFC 5280 6.1',
    'Serve the certificates between yours and the authority too; name an authority of your own by --ca.',
  ),
  'tls.name': row(
    'error',
    'a certificate for the name of the host',
    'RFC 9110 4.3.4, RFC 9525 6',
    'Get a certificate that names the host, and serve it at this address.',
  ),
  'tls.validity': row(
    'error',
    'a certificate that is in force',
    'RFC 5280 6.1.3',
    'Renew the certificate; then see why nothing renewed it in time.',
  ),
  'tls.days': row(
    'warning',
    'a certificate that ends in 14 days at the earliest',
    'RFC 5280 4.1.2.5',
    'Renew the certificate, by a program that does so in time.',
  ),
  'tls.version': row(
    'error',
    'TLS 1.2 or later, and nothing older',
    'RFC 8996 2, RFC 9325 3.1.1',
    'Switch TLS 1.0 and 1.1 off where TLS ends.',
  ),
  'tls.http': row(
    'warning',
    'by http a redirect to https, or no answer',
    'RFC 6749 3.1, RFC 9325 3.2',
    'Redirect every address from http to https, or close the port.',
  ),
  'tls.hsts': row(
    'warning',
    'Strict-Transport-Security with a max-age above 0',
    'RFC 6797 7.1',
    'Send Strict-Transport-Security: max-age=31536000 with every answer.',
  ),

  'discovery.document': row(
    'error',
    '200 and a JSON object at one of the well-known addresses',
    'OpenID Connect Discovery 4.2, RFC 8414 3.2',
    'Publish the metadata below the issuer, without a redirect; compare the issuer with the address of the server.',
  ),
  'discovery.content_type': row(
    'error',
    'Content-Type: application/json',
    'OpenID Connect Discovery 4.2, RFC 8414 3.2',
    'Send the metadata as application/json.',
  ),
  'discovery.issuer': row(
    'error',
    'the member issuer is the address that was asked, byte for byte',
    'OpenID Connect Discovery 4.3, RFC 8414 3.3',
    'Give clients the issuer as the metadata says it, or set it to the address that clients use.',
  ),
  'discovery.other_form': row(
    'error',
    'the document at /.well-known/oauth-authorization-server names the same issuer',
    'RFC 8414 3.3',
    'Publish the same document at both addresses.',
  ),
  'discovery.forms_agree': row(
    'warning',
    'both documents name the same endpoints and keys',
    'RFC 8414 5',
    'Publish the same document at both addresses.',
  ),
  'discovery.members': row(
    'error',
    'every required member',
    'OpenID Connect Discovery 3, RFC 8414 2',
    'Add the member to the metadata.',
  ),
  'discovery.types': row(
    'error',
    'addresses are URLs, lists are lists of texts',
    'OpenID Connect Discovery 3, RFC 8414 2',
    'Give the member its type.',
  ),
  'discovery.https': row(
    'error',
    'every endpoint of an https issuer is an https address',
    'OpenID Connect Discovery 3, RFC 6749 3.1, 3.2',
    'Tell the server that it is reached by https, often by the headers of the proxy in front.',
  ),
  'discovery.host': row(
    'warning',
    'every endpoint is at the host of the issuer',
    'RFC 8414 6.2',
    'Make sure that the other host is yours; else clients send it codes and credentials.',
  ),
  'discovery.endpoint': row(
    'error',
    'every published endpoint is there',
    'RFC 8414 2',
    'Lead its path to the server, or leave the member out.',
  ),
  'discovery.contradiction': row(
    'warning',
    'no member that another one, or its endpoint, contradicts',
    'RFC 8414 2',
    'Publish what works, and nothing else.',
  ),
  'discovery.assertion_algorithms': row(
    'warning',
    'token_endpoint_auth_signing_alg_values_supported with private_key_jwt or client_secret_jwt',
    'RFC 8414 2',
    'Name the algorithms that clients may sign by.',
  ),
  'discovery.pkce': row(
    'warning',
    'code_challenge_methods_supported names S256',
    'RFC 9700 2.1.1, RFC 8414 2',
    'Support PKCE with S256, and say so.',
  ),
  'discovery.pkce_plain': row(
    'warning',
    'code_challenge_methods_supported names S256 alone',
    'RFC 9700 2.1.1',
    'Switch the method plain off.',
  ),
  'discovery.rs256': row(
    'warning',
    'id_token_signing_alg_values_supported names RS256',
    'OpenID Connect Discovery 3',
    'Offer RS256, unless every client takes another algorithm, as FAPI wants it.',
  ),
  'discovery.cache': row(
    'warning',
    'Cache-Control that keeps the metadata for a day at most',
    'RFC 9111 4.2.2',
    'Send Cache-Control with a short max-age, or no-cache.',
  ),

  'keys.document': row(
    'error',
    '200 and a JSON object with a list of keys at jwks_uri',
    'RFC 7517 5',
    'Publish the key set where jwks_uri says, without a redirect.',
  ),
  'keys.usable': row(
    'error',
    'a key for one of the advertised algorithms at least',
    'OpenID Connect Discovery 3, OpenID Connect Core 10.1',
    'Publish the keys that sign, or advertise the algorithms that they sign by.',
  ),
  'keys.algorithms': row(
    'warning',
    'a key for each advertised algorithm',
    'OpenID Connect Discovery 3',
    'Advertise the algorithms that have a key; a server that makes keys on demand may leave it so.',
  ),
  'keys.kid_unique': row(
    'warning',
    'no kid twice',
    'RFC 7517 4.5',
    'Give each key a kid of its own, such as its thumbprint.',
  ),
  'keys.kid': row(
    'warning',
    'each of several keys has a kid',
    'OpenID Connect Core 10.1',
    'Give each key a kid, and name it in the header of tokens.',
  ),
  'keys.use': row(
    'error',
    'a use for each key, where keys for encryption are among them',
    'OpenID Connect Discovery 3',
    'Set use to sig or enc.',
  ),
  'keys.readable': row('error', 'each key has the members of its type', 'RFC 7518 6', 'Publish the key whole.'),
  'keys.rsa_size': row('error', 'RSA keys of 2,048 bits or more', 'RFC 7518 3.3, 3.5', 'Rotate to a longer key.'),
  'keys.private': row(
    'error',
    'no private member of a key',
    'OpenID Connect Discovery 3, RFC 7517 9.2',
    'Rotate at once: everybody can sign by this key. Then publish public halves alone.',
  ),
  'keys.symmetric': row(
    'error',
    'no symmetric key',
    'OpenID Connect Discovery 3, RFC 7517 9.2',
    'Replace the secret at once: everybody can sign by it.',
  ),
  'keys.none': row(
    'error',
    'no alg none for assertions of clients, proofs, signed answers and keys',
    'RFC 8414 2, RFC 9449 5.1, JARM 4',
    'Take none out of the list, and refuse it.',
  ),
  'keys.id_token_none': row(
    'warning',
    'no alg none for ID tokens',
    'OpenID Connect Discovery 3, RFC 8725 3.2',
    'Take none out of the list, and refuse clients that ask for it.',
  ),
  'keys.steady': row(
    'warning',
    'the same keys at each read',
    'OpenID Connect Core 10.1.1',
    'Let all replicas have the same keys; run it again if a rotation was under way.',
  ),
  'keys.published_first': row(
    'warning',
    'a key is published before it signs',
    'OpenID Connect Core 10.1.1',
    'Publish a new key for as long as verifiers cache the set, then sign by it.',
  ),
  'keys.stays': row(
    'warning',
    'a key stays published as long as tokens that it signed',
    'OpenID Connect Core 10.1.1',
    'Take a key out of the set when the last token that it signed has ended.',
  ),

  'clock.date': row('warning', 'Date within 5 seconds of this machine', 'RFC 9110 6.6.1', 'Set both clocks by NTP.'),
  'clock.iat': row(
    'warning',
    'iat of a token within 10 seconds of this machine',
    'RFC 7519 4.1.6',
    'Set both clocks by NTP.',
  ),

  'pages.unknown_client': row(
    'error',
    'an unknown client is shown to the user, who is not redirected',
    'RFC 6749 4.1.2.1, RFC 9700 4.11.2',
    'Show an error page; redirect to registered addresses alone.',
  ),
  'pages.redirect_uri': row(
    'error',
    'a redirect URI that is not registered is shown to the user, who is not redirected',
    'RFC 6749 4.1.2.1, RFC 9700 4.11.2',
    'Show an error page; redirect to registered addresses alone.',
  ),
  'pages.cors': row(
    'error',
    'no Access-Control-Allow-Origin at the authorization endpoint',
    'RFC 9700 2.6',
    'Switch CORS off at this path.',
  ),
  'pages.csp': row(
    'warning',
    'Content-Security-Policy without unsafe-inline scripts',
    'RFC 9700 4.16, Content Security Policy Level 3 6.1',
    'Set script-src, and allow scripts of the page by nonce or hash.',
  ),
  'pages.frames': row(
    'error',
    'frame-ancestors or X-Frame-Options keep the sign-in page out of frames of others',
    'RFC 9700 4.16, RFC 6749 10.13',
    "Send Content-Security-Policy: frame-ancestors 'none'.",
  ),
  'pages.no_store': row(
    'warning',
    'Cache-Control: no-store',
    'RFC 9111 5.2.2.5',
    'Keep pages with a form of one user out of caches.',
  ),
  'pages.referrer': row(
    'warning',
    'Referrer-Policy that keeps the address from other sites',
    'RFC 9700 4.2.4',
    'Send Referrer-Policy: no-referrer.',
  ),
  'pages.cookie_http_only': row(
    'warning',
    'cookies are HttpOnly',
    'RFC 6265 8.3, 4.1.2.6',
    'Set HttpOnly where no script reads the cookie.',
  ),
  'pages.cookie_secure': row(
    'warning',
    'cookies of an https issuer are Secure',
    'RFC 6265 8.3, 4.1.2.5',
    'Set Secure.',
  ),
  'pages.cookie_same_site': row(
    'warning',
    'cookies say SameSite',
    'RFC 6265bis 4.1.2.7',
    'Set SameSite=Lax or Strict.',
  ),
  'pages.cookie_prefix': row(
    'warning',
    'names of cookies of an https issuer begin with __Host-',
    'RFC 6265bis 4.1.3.2',
    'Name the cookie so, with Path=/ and without Domain: no other host of the domain can then set it.',
  ),

  'token.get': row(
    'warning',
    '405 for GET at the token endpoint',
    'RFC 6749 3.2, RFC 9110 15.5.6',
    'Take POST alone: addresses stand in logs.',
  ),
  'token.json': row(
    'warning',
    '415 or 400 for a JSON body',
    'RFC 6749 3.2, RFC 9110 15.5.16',
    'Take application/x-www-form-urlencoded alone.',
  ),
  'token.unknown_client': row(
    'error',
    '401 invalid_client for an unknown client with a Basic header',
    'RFC 6749 5.2',
    'Answer 401 with the error invalid_client.',
  ),
  'token.challenge': row(
    'error',
    'WWW-Authenticate with that 401',
    'RFC 6749 5.2, RFC 9110 15.5.2',
    'Send WWW-Authenticate: Basic with it.',
  ),
  'token.no_store': row(
    'warning',
    'Cache-Control: no-store, also with an error',
    'RFC 6749 5.1, 5.2',
    'Send it with every answer of the token endpoint.',
  ),
  'token.error_form': row(
    'error',
    'an error is a JSON object with the member error',
    'RFC 6749 5.2',
    'Answer errors as application/json, in the form of the standard; look at the proxy in front.',
  ),
  'token.cors': row(
    'warning',
    'no page of an unknown origin is let in with credentials',
    'RFC 9700 2.6, Fetch 3.2',
    'Name * without credentials, or the origins of registered redirect URIs.',
  ),
  'token.introspection_open': row(
    'error',
    'introspection requires authorization',
    'RFC 7662 2.1',
    'Refuse callers without credentials: they could try out texts until one is a token.',
  ),

  'client.authentication': row(
    'error',
    'the credentials of the client are taken',
    'RFC 6749 2.3, 5.2',
    'Compare the credentials, and the method that the client is registered with.',
  ),
  'client.token': row(
    'error',
    'a JSON object with access_token and token_type',
    'RFC 6749 5.1',
    'Answer in the form of the standard.',
  ),
  'client.no_store': row(
    'error',
    'Cache-Control: no-store with a token',
    'RFC 6749 5.1',
    'Send Cache-Control: no-store, and let no proxy take it away.',
  ),
  'client.signature': row(
    'error',
    'a published key, which kid names, verifies the token',
    'RFC 9068 4, RFC 7515 5.2',
    'Publish the key that signs; compare the keys of all replicas.',
  ),
  'client.claims': row(
    'error',
    'the claims of an access token: iss (the issuer), exp (to come), aud, sub, client_id, iat, jti',
    'RFC 9068 2.2',
    'Put them into the token.',
  ),
  'client.typ': row(
    'warning',
    'typ at+jwt in the header of the token',
    'RFC 9068 2.1, RFC 8725 3.11',
    'Set typ, so that no other JWT of the server is taken for an access token.',
  ),
  'client.aud': row(
    'warning',
    'aud in the token',
    'RFC 9700 2.3, RFC 9068 2.2',
    'Name the API that the token is for; each API then refuses the tokens of others.',
  ),
  'client.introspection': row(
    'error',
    'introspection answers a JSON object with active, true or false',
    'RFC 7662 2.2',
    'Answer in the form of the standard.',
  ),
  'client.revocation': row(
    'error',
    '200 for the revocation of a token of the client',
    'RFC 7009 2.2',
    'Revoke the token, and answer 200.',
  ),
  'client.revoked': row(
    'error',
    'introspection says within 15 seconds that a revoked token is not active',
    'RFC 7009 2, RFC 7662 2.2',
    'Let introspection look at what was revoked.',
  ),
  'client.status_list': row(
    'warning',
    'the status list of a revoked token says so within 15 seconds',
    'Token Status List 8',
    'Publish a change at once; shorten its time in caches.',
  ),
  'client.iss': row(
    'error',
    'iss with the answer of the authorization endpoint is the issuer, where the metadata promises it',
    'RFC 9207 2, 3',
    'Send iss with every answer, also with errors.',
  ),
  'client.iss_missing': row(
    'warning',
    'iss in the answer of the authorization endpoint',
    'RFC 9207 2, RFC 9700 2.1',
    'Send iss, and say so in the metadata: clients of several servers need it.',
  ),
  'client.pkce': row('warning', 'PKCE with S256 is taken', 'RFC 9700 2.1.1', 'Let the client use PKCE with S256.'),
  'client.pkce_required': row(
    'warning',
    'a request without PKCE is refused',
    'RFC 9700 2.1.1',
    'Require PKCE of the client.',
  ),
  'client.pkce_plain': row(
    'warning',
    'PKCE with plain is refused',
    'RFC 9700 2.1.1, RFC 7636 7.2',
    'Switch the method plain off.',
  ),
  'client.redirect_match': row(
    'error',
    'a redirect URI that only begins like a registered one is refused',
    'RFC 9700 2.1, 4.1.3',
    'Compare redirect URIs as whole texts; register no wildcard.',
  ),
  'client.logout': row(
    'warning',
    'end_session_endpoint in the metadata',
    'OpenID Connect RP-Initiated Logout 1.0 2.1',
    'Publish the endpoint, so that applications can sign users out.',
  ),
  'client.logout_redirect': row(
    'error',
    'an address that is not registered is no way out of the sign-out',
    'OpenID Connect RP-Initiated Logout 1.0 3',
    'Redirect to registered post_logout_redirect_uris alone.',
  ),

  'deployment.ready': row(
    'error',
    'both services are ready',
    'docs/endpoints/both-services.md',
    'Read what the check names, and the log of the service.',
  ),
  'deployment.schema': row(
    'error',
    'the schema of both databases is current',
    'docs/operations/migrations.md',
    'Run migrate.js of this release.',
  ),
  'deployment.release': row(
    'error',
    'both services have the same release, or neighbouring ones',
    'docs/operations/migrations.md',
    'Update auth-server first, then org-api, one release at a time.',
  ),
  'deployment.base_url': row(
    'error',
    'BASE_URL is the resource of the metadata of org-api, and the first that auth-server names',
    'RFC 9728 3.3',
    'Set BASE_URL of both services to the address that callers use.',
  ),
  'deployment.forwarded_for': row(
    'error',
    'an X-Forwarded-For that a caller sends is not believed',
    'SECURITY.md, what operators must do; RFC 7239 8.1',
    'Set TRUST_PROXY to the proxies in front and to nothing else; let the outermost one write the header itself.',
  ),
  'deployment.private_paths': row(
    'warning',
    '/internal, /metrics and /health do not answer here',
    'docs/operations/observability.md, SECURITY.md',
    'Let the proxy lead the public paths alone to the services.',
  ),
  'deployment.key_age': row(
    'warning',
    'no key has signed for 90 days',
    'docs/operations/keys.md',
    'Rotate the signing keys.',
  ),
  'deployment.rotation': row(
    'warning',
    'a key follows each one that ends within 30 days',
    'docs/operations/keys.md',
    'Rotate the signing keys now.',
  ),
  'deployment.org_api_certificate': row(
    'warning',
    'the certificate of an https ORG_API_URL is trusted and ends in 14 days at the earliest',
    'SECURITY.md, what operators must do',
    'Renew it; name an authority of your own by --ca here, and by ORG_API_CA_FILE at auth-server.',
  ),
  'deployment.clocks': row(
    'warning',
    'the clocks of services, databases and this machine are within 5 seconds',
    'RFC 7519 4.1.4, docs/endpoints/token.md',
    'Set the clocks by NTP.',
  ),
  'deployment.findings': row(
    'warning',
    'no finding that administrators must mend or decide on',
    'docs/endpoints/findings.md',
    'Do what the page says about this kind.',
  ),
} as const satisfies Record<string, Check>;

export type CheckId = keyof typeof checks;
export type Group = CheckId extends infer Id ? (Id extends `${infer Name}.${string}` ? Name : never) : never;

export const groupOf = (id: CheckId) => id.slice(0, id.indexOf('.')) as Group;
