import { readClaims } from '@gatehouse/test-kit';
import { administrator, type Realm, type TokenAnswer } from './realm.ts';

type Claims = Record<string, unknown>;

interface Token {
  header: Claims;
  claims: Claims;
}

/** The answer of `POST /clients/{client_id}/preview`. */
export interface PreviewAnswer {
  issued: boolean;
  access_token?: Token;
  id_token?: Token;
  userinfo?: Claims;
  consent?: { asked: string[]; given: string[] };
  error?: string;
  error_description?: string;
  reason?: string;
}

/** The claims that a preview leaves out: they are of one issue, or of one grant or session. */
const ofOneIssue = ['jti', 'status', 'grant_id', 'sid', 'iat', 'exp', 'auth_time', 'at_hash', 'nonce'];

function readToken(jwt: string): Token {
  const claims = Object.entries(readClaims(jwt)).filter(([name]) => !ofOneIssue.includes(name));
  const header = JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString());
  return { header, claims: Object.fromEntries(claims) };
}

/** What administrators preview, and what clients really get. */
export function usePreviews(realm: Realm) {
  const send = (clientId: string, json: object, caller: object = { basic: administrator }) =>
    realm.send(`/clients/${clientId}/preview`, { method: 'POST', json, ...caller });
  return {
    send,
    async preview({ client_id }: { client_id: string }, json: object): Promise<PreviewAnswer> {
      const answer = await send(client_id, json);
      if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
      return answer.json<PreviewAnswer>();
    },
    /** Real tokens, and the real answer of userinfo, in the form of a preview. */
    async describe({ access_token, id_token }: Pick<TokenAnswer, 'access_token' | 'id_token'>): Promise<PreviewAnswer> {
      const userinfo = await realm.send('/oauth/userinfo', { bearer: access_token });
      return {
        issued: true,
        access_token: readToken(access_token),
        ...(id_token !== undefined && { id_token: readToken(id_token) }),
        ...(userinfo.status === 200 && { userinfo: userinfo.json<Claims>() }),
      };
    },
  };
}
