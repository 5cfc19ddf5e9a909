import { createHmac, hash } from 'node:crypto';
import { deriveKey } from '@gatehouse/service-kit';
import type { LinkRef } from './mail.ts';

export type LinkTokens = ReturnType<typeof createLinkTokens>;

/**
 * The tokens of mailed links: 256 bits, made of the id of the link and CREDENTIALS_KEY at the moment of sending, so that none is
 * stored. A link of before a change of the key keeps its token.
 */
export function createLinkTokens({ current, previous }: { current: Buffer; previous: Buffer | undefined }) {
  const roots = [current, ...(previous === undefined ? [] : [previous])];
  const keys = new Map(roots.map((root) => [idOf(root), deriveKey(root, 'mailed link')]));
  return {
    /** Of new links. */
    keyId: idOf(current),
    /** Undefined where the key of then is not known any more. */
    make({ keyId, linkId }: LinkRef): string | undefined {
      const key = keys.get(keyId);
      return key && createHmac('sha256', key).update(linkId).digest('base64url');
    },
  };
}

/** The key of the row of a link. */
export function hashLinkToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

function idOf(root: Buffer): string {
  return hash('sha256', root).slice(0, 16);
}
