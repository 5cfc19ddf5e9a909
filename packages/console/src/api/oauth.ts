import type { ApiRequest } from './request.ts';

export interface TokenAnswer {
  access_token: string;
  token_type: string;
  expires_in?: number;
  scope?: string;
}

/** A client gets a token for itself, by its secret: in the form, or in a header. */
export const issueToken = (
  id: string,
  secret: string,
  form: Readonly<Record<string, string>> = {},
  isInForm = false,
): ApiRequest<TokenAnswer> => ({
  ...{ service: 'auth-server', tag: 'oauth', operation: 'issueToken', method: 'POST', path: '/oauth/token' },
  ...{ form: { grant_type: 'client_credentials', ...form }, client: { id, secret, isInForm } },
});
