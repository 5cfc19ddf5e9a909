import type { DpopNonces, VerifyDpopProof } from '@gatehouse/dpop';
import { OAuthError } from '@gatehouse/shared';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Reads DPoP proofs from requests, and tells the sender the nonce to use (RFC 9449). */
export interface Dpop {
  /** The thumbprint of the key that the request's proof was made with; undefined where it has no proof. */
  findKey(http: { request: FastifyRequest; reply: FastifyReply }, accessToken?: string): Promise<string | undefined>;
}

interface Dependencies {
  verifyDpopProof: VerifyDpopProof;
  nonces: DpopNonces;
  /** Public base of this server. */
  authUrl: string;
}

export function createDpop({ verifyDpopProof, nonces, authUrl }: Dependencies): Dpop {
  return {
    async findKey({ request, reply }, accessToken) {
      // Node.js joins repeated headers by a comma, which no JWT has.
      const proof = request.headers.dpop;
      if (proof === undefined) return undefined;
      void reply.header('dpop-nonce', nonces.current());
      if (typeof proof !== 'string') throw new OAuthError('invalid_dpop_proof', 'send one DPoP header');
      const url = authUrl + request.url.split('?', 1)[0];
      return verifyDpopProof(proof, {
        method: request.method,
        url,
        ...(accessToken === undefined ? {} : { accessToken }),
      });
    },
  };
}
