import type { RequestContext } from '@gatehouse/service-kit';
import { requestContextOf } from '@gatehouse/service-kit/http';
import { longestCredential, type MethodQueryResult, type PasskeyCheck } from '@gatehouse/shared';
import type { FastifyRequest } from 'fastify';
import type { PasskeyMode } from '../config.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { OrganizationSettings } from '../organization/settings.ts';
import type { PasskeyChallenges } from './passkey-challenges-endpoint.ts';
import type { PasskeyOptions } from './passkey-part.ts';
import type { Http } from './place-endpoint.ts';

/** Milliseconds that a browser waits for its user. */
const timeout = 300_000;
/** EdDSA, ES256, RS256 (COSE), the preferred one first. */
const algorithms = [-8, -7, -257];

export interface NamedUser {
  id: string;
  username: string;
}

/** The answer of a passkey, and what it must be an answer to. */
export type PasskeyAnswer = Pick<PasskeyCheck, 'credential' | 'challenge' | 'origin' | 'rpId'>;

export type Passkeys = ReturnType<typeof createPasskeys>;

interface Dependencies {
  config: {
    authUrl: string;
    realm: string;
    displayName: string | undefined;
    passkeyMode: PasskeyMode;
    passkeyRpId: string | undefined;
  };
  directory: Pick<OrganizationDirectory, 'listMethods'>;
  settings: OrganizationSettings;
  passkeyChallenges: PasskeyChallenges;
}

/** The passkeys of this server: what it asks browsers for, and how it reads their answers. */
export function createPasskeys({ config, directory, settings, passkeyChallenges }: Dependencies) {
  const { passkeyMode: mode, passkeyRpId: rpId } = config;
  const { origin, hostname } = new URL(config.authUrl);
  /** The domain, where passkeys work here and at the organization. */
  const findDomain = async (context: RequestContext): Promise<string | undefined> => {
    if (rpId === undefined) return undefined;
    const { passkeys } = await settings.find(context);
    return passkeys === true ? rpId : undefined;
  };
  const find = async (http: Http, userId: string) => {
    try {
      const context = requestContextOf(http.request);
      const domain = await findDomain(context);
      return domain === undefined ? undefined : { ...(await directory.listMethods({ userId }, context)), domain };
    } catch {
      return undefined;
    }
  };
  const buildGet = ({ request, reply }: Http, about: string, domain: string) => ({
    challenge: passkeyChallenges.issue(request, reply, about),
    timeout,
    rpId: domain,
  });
  return {
    /** Whether a passkey signs in a user who has a password, too. */
    isForAll: mode === 'on',
    /** Whether users can make passkeys. Throws an OrganizationUnavailableError. */
    mayBeMade: async (context: RequestContext): Promise<boolean> =>
      mode !== 'off' && (await findDomain(context)) !== undefined,
    /** Whether the passkeys that users have can be used. Throws an OrganizationUnavailableError. */
    mayBeUsed: async (context: RequestContext): Promise<boolean> => (await findDomain(context)) !== undefined,
    /** For a sign-in by a passkey alone; undefined also where the organization does not answer, for the password works without. */
    async askForAny(http: Http, about: string, deletedId?: string): Promise<PasskeyOptions | undefined> {
      const offer = await settings.glance(requestContextOf(http.request));
      if (offer?.passkeys !== true || rpId === undefined) return undefined;
      const domain = rpId;
      // The browser tells passkeys of this very domain only.
      const unknown =
        deletedId === undefined || domain !== hostname ? undefined : { rpId: domain, credentialId: deletedId };
      const get = { ...buildGet(http, about, domain), userVerification: 'required' };
      return { get, autofill: true, hidden: mode !== 'on', unknown };
    },
    /** For a second step by one of the passkeys that the user has; undefined where there is none, or the organization does not answer. */
    async askForOneOf(http: Http, about: string, userId: string): Promise<PasskeyOptions | undefined> {
      const found = await find(http, userId);
      if (found === undefined || found.passkeys.length === 0) return undefined;
      const get = { ...buildGet(http, about, found.domain), userVerification: 'preferred' };
      return { get: { ...get, allowCredentials: found.passkeys.map(describe) } };
    },
    /** For a new passkey; undefined where the user cannot make one, or the organization does not answer. */
    async askForNew(http: Http, about: string, { id, username }: NamedUser): Promise<PasskeyOptions | undefined> {
      const found = mode === 'off' ? undefined : await find(http, id);
      if (found === undefined || !found.mayAddPasskey) return undefined;
      const create = {
        challenge: passkeyChallenges.issue(http.request, http.reply, about),
        rp: { id: found.domain, name: config.displayName ?? config.realm },
        user: { id: found.userHandle, name: username, displayName: username },
        pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
        authenticatorSelection: { residentKey: 'preferred', requireResidentKey: false, userVerification: 'preferred' },
        attestation: 'none',
        extensions: { credProps: true },
        excludeCredentials: found.passkeys.map(describe),
        timeout,
      };
      return { create };
    },
    /** Reads a posted answer, and uses its challenge up; undefined where the challenge is not one of this form. */
    async read(request: FastifyRequest, credential: string, about: string): Promise<PasskeyAnswer | undefined> {
      if (credential.length > longestCredential) return undefined;
      const challenge = await passkeyChallenges.use(request, credential, about);
      return challenge === undefined || rpId === undefined ? undefined : { credential, challenge, origin, rpId };
    },
  };
}

function describe({ id, transports }: MethodQueryResult['passkeys'][number]) {
  return { type: 'public-key', id, transports };
}
