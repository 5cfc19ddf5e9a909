import { StepError, UsageError } from '../failures.ts';
import { readMembers, type Send } from './send.ts';

/** The addresses that an installation says of itself. */
export interface Installation {
  issuer: string;
  /** The base of org-api. */
  orgApi: string;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  revocationEndpoint: string;
  deviceAuthorizationEndpoint: string;
}

const loopbackHosts = ['localhost', '127.0.0.1', '[::1]'];

/** Checks the form of an issuer; a slash at its end is left out. Throws a UsageError. */
export function readIssuer(given: string | undefined, { insecureHttp }: { insecureHttp: boolean }): string {
  if (given === undefined || given === '') throw new UsageError('name the server: --issuer URL, or GATEHOUSE_ISSUER');
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search + url.hash !== '') {
    throw new UsageError('--issuer takes an address such as https://auth.example.com');
  }
  if (url.protocol === 'http:' && !insecureHttp && !isLoopback(given)) {
    throw new UsageError(`${given} is http, by which others read along; --insecure-http takes it all the same`);
  }
  return given.replace(/\/+$/, '');
}

function isLoopback(url: string): boolean {
  return loopbackHosts.includes(new URL(url).hostname);
}

/** Reads the metadata (OpenID Connect Discovery 4). Where http counts on this machine alone, so it does for the addresses there. */
export async function discover(
  issuer: string,
  send: Send,
  { insecureHttp }: { insecureHttp: boolean },
): Promise<Installation> {
  const url = `${issuer}/.well-known/openid-configuration`;
  const { status, text } = await send('discovery', url);
  const fail = (why: string) => new StepError('discovery', `${url} ${why}`);
  if (status !== 200) throw fail(`answered ${status}`);
  const metadata = readMembers(text);
  if (metadata.issuer !== issuer) throw fail('is the document of another issuer');
  const read = (name: string, value: unknown) => {
    if (typeof value !== 'string' || !URL.canParse(value)) throw fail(`has no ${name}`);
    const isPlain = issuer.startsWith('http:') && value.startsWith('http:');
    const isSafe = value.startsWith('https:') || (isPlain && (insecureHttp || isLoopback(value)));
    if (!isSafe) throw fail(`has a ${name} that is not https`);
    return value;
  };
  const { protected_resources: resources } = metadata;
  return {
    issuer,
    orgApi: read('protected_resources', Array.isArray(resources) ? resources[0] : undefined).replace(/\/+$/, ''),
    authorizationEndpoint: read('authorization_endpoint', metadata.authorization_endpoint),
    tokenEndpoint: read('token_endpoint', metadata.token_endpoint),
    revocationEndpoint: read('revocation_endpoint', metadata.revocation_endpoint),
    deviceAuthorizationEndpoint: read('device_authorization_endpoint', metadata.device_authorization_endpoint),
  };
}
