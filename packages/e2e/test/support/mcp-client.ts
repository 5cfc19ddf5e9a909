import { createTestBrowser } from '@gatehouse/test-kit';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js';

export const mcpCallback = 'http://127.0.0.1:33418/callback';

/** Plays the person at the browser: signs in, allows what is asked for, and gives the address that the browser is sent to. */
async function allowInBrowser(url: string, user: { username: string; password: string }): Promise<URL> {
  const browser = createTestBrowser();
  const consentPage = await browser.submit(await browser.get(url), url, user);
  const answer = await browser.submit(consentPage, url, { decision: 'allow' });
  return new URL(String(answer.headers.location));
}

interface Options {
  /** The URL of its metadata document; undefined: it registers itself. */
  documentUrl?: string;
  /** Where its program listens. */
  callback?: string;
}

/** What an MCP client keeps, in memory. It is registered nowhere. */
export function createMcpProvider(
  user: { username: string; password: string },
  { documentUrl, callback = mcpCallback }: Options = {},
) {
  const kept: { client?: OAuthClientInformationMixed; tokens?: OAuthTokens; verifier?: string; code?: string } = {};
  const clientMetadata: OAuthClientMetadata = {
    client_name: 'An MCP client',
    redirect_uris: [callback],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  const provider: OAuthClientProvider = {
    redirectUrl: callback,
    ...(documentUrl !== undefined && { clientMetadataUrl: documentUrl }),
    clientMetadata,
    clientInformation: () => kept.client,
    saveClientInformation(client) {
      kept.client = client;
    },
    tokens: () => kept.tokens,
    saveTokens(tokens) {
      kept.tokens = tokens;
    },
    async redirectToAuthorization(url) {
      const address = await allowInBrowser(url.href, user);
      kept.code = address.searchParams.get('code') ?? undefined;
    },
    saveCodeVerifier(verifier) {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier ?? '',
  };
  return { provider, kept };
}
