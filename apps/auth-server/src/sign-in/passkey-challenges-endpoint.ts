import { hash, randomBytes } from 'node:crypto';
import type { Clock } from '@gatehouse/service-kit';
import type { UsedIdentifiers } from '@gatehouse/service-kit/used-identifiers';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BrowserCookies } from '../sessions/browser-cookies.ts';

/** Bytes of a challenge that nobody can guess; the token of the browser and the form follows them. */
const randomLength = 32;
/** Milliseconds, more than a form lives. */
const rememberedFor = 3 * 3_600_000;

export type PasskeyChallenges = ReturnType<typeof createPasskeyChallenges>;

interface Dependencies {
  browserCookies: BrowserCookies;
  usedIdentifiers: UsedIdentifiers;
  clock: Clock;
}

/**
 * Challenges for passkeys (WebAuthn 3, 13.4.3). Each fits one browser and one form, as the token of a form does, so two pages that
 * are open side by side have their own; and it works once, at all replicas together.
 */
export function createPasskeyChallenges({ browserCookies, usedIdentifiers, clock }: Dependencies) {
  const describe = (random: Buffer, about: string) => `passkey ${random.toString('base64url')} ${about}`;
  return {
    /** base64url. */
    issue(request: FastifyRequest, reply: FastifyReply, about: string): string {
      const random = randomBytes(randomLength);
      const token = browserCookies.issueFormToken(request, reply, describe(random, about));
      return Buffer.concat([random, Buffer.from(token, 'base64url')]).toString('base64url');
    },
    /** Gives the challenge that a posted credential answers, and uses it up; undefined where it is not ours, or was used. */
    async use(request: FastifyRequest, credential: string, about: string): Promise<string | undefined> {
      const challenge = readChallenge(credential);
      if (challenge === undefined) return undefined;
      const bytes = Buffer.from(challenge, 'base64url');
      // The decoder passes over padding, spaces and the like: other texts of the same bytes have any length.
      if (bytes.toString('base64url') !== challenge) return undefined;
      const [random, token] = [bytes.subarray(0, randomLength), bytes.subarray(randomLength)];
      if (!browserCookies.isFormTokenValid(request, token.toString('base64url'), describe(random, about)))
        return undefined;
      const isFirst = await usedIdentifiers.use(hash('sha256', bytes, 'buffer'), clock() + rememberedFor);
      return isFirst ? challenge : undefined;
    },
  };
}

/** The challenge in the client data of a posted credential. */
function readChallenge(credential: string): string | undefined {
  try {
    const { response } = JSON.parse(credential) as { response: { clientDataJSON: string } };
    const clientData: unknown = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString());
    const { challenge } = clientData as { challenge?: unknown };
    return typeof challenge === 'string' ? challenge : undefined;
  } catch {
    return undefined;
  }
}
