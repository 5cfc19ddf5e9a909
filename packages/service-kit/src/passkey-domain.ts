import { Type } from 'typebox';
import { ConfigError } from './config-error.ts';

/** The type of `PASSKEY_RP_ID`, which both services have. */
export function passkeyDomainType() {
  return Type.Optional(
    Type.String({
      description:
        'the domain that passkeys belong to: the host of `AUTH_URL`, or a domain above it; the same at both. A change makes all passkeys useless',
      otherwise: 'the host of `AUTH_URL`',
    }),
  );
}

/**
 * The domain of passkeys by `PASSKEY_RP_ID` and `AUTH_URL`; undefined where `AUTH_URL` has an IP address, since passkeys belong to none.
 * Throws a ConfigError.
 */
export function readPasskeyDomain(given: string | undefined, authUrl: string): string | undefined {
  const { hostname: host } = new URL(authUrl);
  if (given !== undefined && given !== host && !(given.includes('.') && host.endsWith(`.${given}`))) {
    throw new ConfigError('PASSKEY_RP_ID must be the host of AUTH_URL, or a domain above it');
  }
  // The URL parser leaves no host but an IPv4 address ending in a number.
  const isAddress = host.startsWith('[') || /(?:^|\.)\d+$/.test(host);
  return isAddress ? undefined : (given ?? host);
}
