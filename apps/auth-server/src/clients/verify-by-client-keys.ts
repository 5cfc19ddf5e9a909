import type { JSONWebKeySet, JWTVerifyOptions, JWTVerifyResult } from 'jose';
import type { KeySets } from '../outbound/key-sets.ts';
import { toUnreadableKeys } from '../outbound/unreadable-keys.ts';
import { verifyByKeySet } from '../outbound/verify-by-key-set.ts';
import type { Client } from './client.ts';
import type { IsOfStranger } from './stranger.ts';

/**
 * Verifies a JWT by a key that the client registered, or that stands at the address which it registered. Throws 503 where that
 * cannot be read, and what jose throws.
 */
export type VerifyByClientKeys = (client: Client, token: string, options: JWTVerifyOptions) => Promise<JWTVerifyResult>;

/** Whether a client has keys that verify what it signs. */
export function hasKeys({ metadata }: Client): boolean {
  return metadata.jwks !== undefined || metadata.jwks_uri !== undefined;
}

interface Dependencies {
  keySets: KeySets;
  isOfStranger: IsOfStranger;
}

export function createVerifyByClientKeys({ keySets, isOfStranger }: Dependencies): VerifyByClientKeys {
  return async (client, token, options) => {
    const { jwks = { keys: [] }, jwks_uri: url } = client.metadata;
    if (url === undefined) return verifyByKeySet(token, jwks as JSONWebKeySet, options);
    // A change of the client lets go of the keys that were read before it.
    const owner = `${client.registrationId} ${client.updatedAt}`;
    try {
      const share = isOfStranger(client) ? 'strangers' : 'registered';
      return await keySets.verify({ owner, url, share }, token, options);
    } catch (error) {
      throw toUnreadableKeys(error, 'client');
    }
  };
}
