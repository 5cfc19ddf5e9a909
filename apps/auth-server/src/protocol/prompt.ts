import { OAuthError } from '@gatehouse/shared';
import type { RequestParameters } from './request-parameters.ts';

/** The pages that a client may demand (OpenID Connect Core 3.1.2.1). */
export const prompts = ['none', 'login', 'consent', 'select_account'] as const;
export type Prompt = (typeof prompts)[number];

/** Throws `invalid_request` for a word that is no prompt, and for `none` together with another. */
export function parsePrompts(parameters: RequestParameters): ReadonlySet<Prompt> {
  const words = (parameters.get('prompt') ?? '').split(' ').filter((word) => word !== '');
  const known = words.filter((word): word is Prompt => prompts.some((prompt) => prompt === word));
  if (known.length < words.length)
    throw new OAuthError('invalid_request', `prompt must hold only ${prompts.join(', ')}`);
  if (!known.includes('none') || known.length === 1) return new Set(known);
  throw new OAuthError('invalid_request', 'prompt=none must stand alone; leave the other prompts out');
}
