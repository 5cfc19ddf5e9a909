import { type Clock, systemClock } from './clock.ts';
import type { DpopNonces } from './dpop/dpop-nonce.ts';
import { createVerifyDpopProof } from './dpop/dpop-proof.ts';
import { createUsedIdentifiers, type UsedIdentifiers } from './dpop/used-identifiers.ts';
import type { Fetch } from './fetch.ts';
import { clockTolerance } from './jwt/clock-tolerance.ts';
import { createJwtVerifier, type VerificationKeys } from './jwt/jwt-verifier.ts';
import { type SignatureAlgorithm, signatureAlgorithms } from './jwt/signature-algorithms.ts';
import { createFetchDiscoveredKeySet } from './keys/discovery.ts';
import { createFetchKeySet } from './keys/fetch-key-set.ts';
import { createKeySet } from './keys/key-set.ts';
import {
  buildResourceMetadata,
  type PublishedMetadata,
  type ResourceDescription,
} from './metadata/protected-resource.ts';
import { pause, repeatByTimer } from './repeat.ts';
import { type AccessToken, readAccessToken } from './request/access-token.ts';
import { createCheckRequest, type PresentedRequest, type RequestNeeds } from './request/check-request.ts';
import { logRefusal, type RefusalLog } from './request/log-refusal.ts';
import { buildUnavailable, createRefusals } from './request/refusals.ts';
import { createFetchStatusList } from './status-lists/fetch-status-list.ts';
import { statusListRules } from './status-lists/status-list.ts';
import { createStatusLists, type StatusLists } from './status-lists/status-lists.ts';

export interface VerifierOptions {
  /** The issuer, exactly as `iss` and its metadata name it. */
  issuer: string;
  /** The `aud` that tokens for this API have: the URL that the API is registered as at the issuer. */
  audience: string;
  /** The key set, for an issuer without metadata. */
  jwksUri?: string;
  /** The `typ` of access tokens. `jwt` is for issuers that do not follow RFC 9068: it does not tell their kinds of tokens apart. */
  type?: 'at+jwt' | 'jwt';
  /** Accepted signatures; all that this package knows, if absent. */
  algorithms?: readonly SignatureAlgorithm[];
  /** The part before the path in the public URL of a request; the origin of the audience if absent. DPoP proofs name that URL. */
  baseUrl?: string;
  /** The realm of challenges. */
  realm?: string;
  /** The metadata of the API (RFC 9728). */
  metadata?: ResourceDescription;
  /** Whether a token whose status list cannot be had is refused by 503, or goes on with the list in hand. `reject` if absent. */
  statusListUnavailable?: 'reject' | 'accept';
  /** Seconds without a good answer after which a status list counts as unavailable; 60 if absent. */
  statusListMaxAge?: number;
  /** Origins that status lists are fetched from, in addition to the issuer's own. */
  statusListOrigins?: readonly string[];
  dpop?: {
    /** Demands nonces of the server (RFC 9449 9). */
    nonces?: DpopNonces;
    /** A store that all processes of the API share. This process remembers used proofs itself if absent. */
    usedIdentifiers?: UsedIdentifiers;
  };
  /** Asks the issuer; the global `fetch` if absent. */
  fetch?: Fetch;
  clock?: Clock;
  /** Learns why keys or a status list could not be had, and why a request was refused. */
  log?: VerifierLog;
}

/** As those of pino and Fastify are. */
export interface VerifierLog extends Partial<RefusalLog> {
  warn(details: object, message: string): void;
}

/** The needs of one request, and where its refusal is told. */
export interface VerifyNeeds extends RequestNeeds {
  /** Is told with the reason of a refusal. */
  requestId?: string | undefined;
  /** Learns the reason of a refusal in place of the log of the verifier. */
  log?: Partial<RefusalLog> | undefined;
}

/** Checks the tokens of an API. */
export interface Verifier {
  /** Gives the token of a request; throws a `TokenError` with the answer's status and headers. */
  verify(request: PresentedRequest, needs?: VerifyNeeds): Promise<AccessToken>;
  /** The metadata to publish; undefined where the audience is no http(s) URL. */
  metadata: PublishedMetadata | undefined;
  /** Ends requests to the issuer. */
  close(): void;
}

const neededClaims = {
  // RFC 9068 2.2
  'at+jwt': ['sub', 'aud', 'iat', 'jti', 'client_id'],
  jwt: ['sub', 'aud'],
} as const;

/** Characters of verified tokens that are remembered. */
const remembered = 16 * 1024 * 1024;

/** Verifies access tokens of an issuer for an API. */
export function verifier(options: VerifierOptions): Verifier {
  const { issuer, audience, type = 'at+jwt', algorithms = signatureAlgorithms, clock = systemClock } = options;
  const keys = createKeys(options);
  const verifyToken = createJwtVerifier(
    { keys, clock },
    {
      ...{ issuer, audience, type, algorithms, remembered },
      requiredClaims: neededClaims[type],
      ahead: clockTolerance.ahead,
      read: readAccessToken,
    },
  );
  const statusLists = createLists(options, keys);
  const metadata = buildResourceMetadata({ issuer, resource: audience }, options.metadata);
  const { nonces, usedIdentifiers = createUsedIdentifiers({ clock }) } = options.dpop ?? {};
  const checkRequest = createCheckRequest({
    ...{ verifyToken, statusLists, nonces },
    verifyDpopProof: createVerifyDpopProof({ nonces, usedIdentifiers, clock }),
    refusals: createRefusals({ realm: options.realm, resourceMetadata: metadata?.url }),
    baseUrl: findBaseUrl(options),
    clock,
  });
  const verify: Verifier['verify'] = (request, needs) =>
    checkRequest(request, needs).catch((error: unknown) => {
      logRefusal(needs?.log ?? options.log, error, needs?.requestId);
      throw error;
    });
  return { verify, metadata, close: () => statusLists.stop() };
}

function createKeys(options: VerifierOptions): VerificationKeys {
  const {
    issuer,
    jwksUri,
    algorithms = signatureAlgorithms,
    fetch = globalThis.fetch,
    clock = systemClock,
    log,
  } = options;
  return createKeySet({
    fetchKeySet:
      jwksUri === undefined ? createFetchDiscoveredKeySet(issuer, fetch, clock) : createFetchKeySet(jwksUri, fetch),
    ...{ clock, algorithms },
    buildUnavailable: () => buildUnavailable('the keys that verify access tokens are'),
    onFailure: (error) => log?.warn({ err: error }, 'the keys of the issuer could not be read'),
  });
}

function createLists(options: VerifierOptions, keys: VerificationKeys): StatusLists {
  const { issuer, algorithms = signatureAlgorithms, fetch = globalThis.fetch, clock = systemClock, log } = options;
  const origins = [issuer, ...(options.statusListOrigins ?? [])].map((url) => new URL(url).origin);
  return createStatusLists({
    fetchStatusList: createFetchStatusList(fetch),
    verifyStatusList: createJwtVerifier({ keys, clock }, { ...statusListRules, issuer, algorithms }),
    // A signed token names the address. Even so only the issuer's own is asked, so that no token leads into a network.
    isTrusted: (uri) => URL.canParse(uri) && origins.includes(new URL(uri).origin),
    unavailable: options.statusListUnavailable ?? 'reject',
    maxAge: options.statusListMaxAge ?? 60,
    ...{ clock, repeat: repeatByTimer, pause },
    onFailure: (error, uri) => log?.warn({ err: error, uri }, 'a status list could not be read'),
  });
}

function findBaseUrl({ baseUrl, audience }: VerifierOptions): string {
  if (baseUrl !== undefined) return baseUrl.replace(/\/$/, '');
  return URL.canParse(audience) ? new URL(audience).origin : '';
}
