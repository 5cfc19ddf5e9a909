import { type Answer, call, type Gatehouse } from '@gatehouse/test-kit';
import { administrator } from './people.ts';

/** What an administrator says of an upstream. */
export interface UpstreamFields {
  alias: string;
  display_name: string;
  issuer: string;
  client_id: string;
  client_secret: string;
  [member: string]: unknown;
}

/** Where an upstream of this alias sends browsers back to. */
export function callbackOf({ authUrl }: Pick<Gatehouse, 'authUrl'>, alias: string): string {
  return `${authUrl}/oauth/upstreams/${alias}/callback`;
}

export async function registerUpstream({ authUrl }: Gatehouse, fields: UpstreamFields): Promise<Answer> {
  const answer = await call(`${authUrl}/upstreams`, { basic: administrator, json: { kind: 'oidc', ...fields } });
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
  return answer;
}
