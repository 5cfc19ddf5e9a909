import {
  createVerifyDpopProof,
  type DpopNonces,
  type DpopRequest,
  type UsedIdentifiers,
} from '@gatehouse/resource-server/parts';
import type { Clock } from '@gatehouse/service-kit';
import { OAuthError, type PresentedToken } from '@gatehouse/shared';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Client } from '../clients/client.ts';
import { type ClientDemands, demandsOf } from '../clients/client-demands.ts';

export interface HttpExchange {
  request: FastifyRequest;
  reply: FastifyReply;
}

/** An access token that is in force, as far as its key is concerned. */
interface BoundToken {
  client: Client;
  claims: { cnf?: { jkt: string } };
}

export type Dpop = ReturnType<typeof createDpop>;

interface ProofNeeds {
  nonces: DpopNonces;
  usedIdentifiers: UsedIdentifiers;
  clock: Clock;
}

/** Checks proofs as an authorization server does: with nonces, and by the errors of OAuth (RFC 9449 5, 8). */
export function createVerifyProof(needs: ProofNeeds) {
  return createVerifyDpopProof({
    ...needs,
    buildError: (code, message, reason) => new OAuthError(code, message, reason === undefined ? {} : { reason }),
  });
}

interface Dependencies extends ProofNeeds {
  /** Public base of this server. */
  authUrl: string;
}

/** Reads DPoP proofs from requests, and tells the sender the nonce to use (RFC 9449). */
export function createDpop({ authUrl, ...needs }: Dependencies) {
  const { nonces } = needs;
  const verifyProof = createVerifyProof(needs);
  type Options = Pick<DpopRequest, 'accessToken' | 'beforeUse'>;
  type Spend = () => Promise<void>;
  const findProofKey = async (demands: ClientDemands, { request, reply }: HttpExchange, options: Options) => {
    // Node.js joins repeated headers by a comma, and no JWT has a comma.
    const proof = request.headers.dpop;
    if (proof === undefined) return undefined;
    void reply.header('dpop-nonce', nonces.current());
    if (typeof proof !== 'string')
      throw new OAuthError('invalid_dpop_proof', 'the request has several DPoP headers; send one');
    const url = authUrl + request.url.split('?', 1)[0];
    const { signatureAlgorithms: algorithms } = demands;
    return verifyProof(proof, { method: request.method, url, algorithms, ...options });
  };
  return {
    /** Tells the nonce for the next proof before there was one, which spares a request. */
    offerNonce: (reply: FastifyReply) => void reply.header('dpop-nonce', nonces.current()),
    /** The thumbprint of the key that the request's proof was made with; undefined where it has no proof. */
    findKey: (demands: ClientDemands, http: HttpExchange, accessToken: string): Promise<string | undefined> =>
      findProofKey(demands, http, { accessToken }),
    /** The same for a client that has no token yet. `spend` runs before a good proof costs a row. */
    findClientKey: (demands: ClientDemands, http: HttpExchange, spend: Spend): Promise<string | undefined> =>
      findProofKey(demands, http, { beforeUse: spend }),
    /** The same where tokens are issued: throws `invalid_dpop_proof` where the client must prove a key and does not. */
    async findDueKey(demands: ClientDemands, http: HttpExchange, spend: Spend): Promise<string | undefined> {
      const jkt = await findProofKey(demands, http, { beforeUse: spend });
      if (jkt !== undefined || !demands.boundTokens) return jkt;
      throw new OAuthError('invalid_dpop_proof', 'this client must send a DPoP proof with every token request');
    },
  };
}

/**
 * RFC 9449 7.1 and 7.2: a bound token comes with a proof of its key, by its own scheme. Throws `invalid_token`,
 * `invalid_dpop_proof` or `use_dpop_nonce`.
 */
export async function checkHolder(
  dpop: Dpop,
  http: HttpExchange,
  { scheme, token }: PresentedToken,
  { client, claims: { cnf } }: BoundToken,
): Promise<void> {
  const expected = cnf === undefined ? 'Bearer' : 'DPoP';
  if (scheme !== expected) {
    const binding = cnf === undefined ? 'bound to no key' : 'bound to a key';
    throw new OAuthError('invalid_token', `the access token is ${binding}; send it with the scheme ${expected}`);
  }
  if (cnf === undefined) return;
  const jkt = await dpop.findKey(demandsOf(client), http, token);
  if (jkt === cnf.jkt) return;
  throw new OAuthError('invalid_dpop_proof', 'the access token is bound to a key; send a DPoP proof of that key');
}
