/*
 * The API references of both services (`/docs`), as a client. Where there is demo data, auth-server registers it and both
 * pages know its client_id. In production there is none: the page asks for the client_id.
 */

/** The client_id among the demo data. */
export const apiReferenceClientId = 'api-reference';

/** The page that the browser comes back to, below the public base of each service. */
export const apiReferenceRedirectPath = '/docs/static/oauth2-redirect.html';

/** The data that each scope of the client opens. */
export const apiReferenceScopes = {
  openid: 'the claims of the user (OpenID Connect)',
  profile: 'name, username and other personal data',
  email: 'e-mail address',
  roles: 'roles in the organization',
} as const;
