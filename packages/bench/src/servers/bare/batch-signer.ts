import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

/** Signs claims. It makes all signatures that one turn of the event loop requests at the end of that turn. */
export type SignInBatch = (claims: object) => Promise<string>;

export function createBatchSigner(): SignInBatch {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  let waiting: { claims: object; resolve: (token: string) => void }[] = [];
  const signAll = () => {
    const batch = waiting;
    waiting = [];
    // First all signatures, then all answers: the event loop writes them in one go as well.
    const tokens = batch.map(({ claims }) => signCompact(privateKey, claims));
    for (const [index, { resolve }] of batch.entries()) resolve(tokens[index] ?? '');
  };
  return (claims) =>
    new Promise((resolve) => {
      if (waiting.push({ claims, resolve }) === 1) setImmediate(signAll);
    });
}

const header = Buffer.from('{"alg":"ES256","typ":"at+jwt","kid":"bare"}').toString('base64url');

function signCompact(key: KeyObject, claims: object): string {
  const signingInput = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  const signature = sign('sha256', Buffer.from(signingInput), { key, dsaEncoding: 'ieee-p1363' });
  return `${signingInput}.${signature.toString('base64url')}`;
}
