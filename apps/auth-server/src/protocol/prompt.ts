import { OAuthError } from '@gatehouse/shared';
import type { RequestParameters } from './request-parameters.ts';

/** The pages that a client may demand (OpenID Connect Core 3.1.2.1). */
export const prompts = ['none', 'login', 'consent', 'select_account'] as const;
/** Where people register themselves (Initiating User Registration via OpenID Connect 1.0). */
export const promptsWithCreate = [...prompts, 'create'] as const;
export type Prompt = (typeof promptsWithCreate)[number];

/** Throws `invalid_request` for a word that is no prompt, and for `none` together with another. */
export function parsePrompts(parameters: RequestParameters, supported: readonly Prompt[]): ReadonlySet<Prompt> {
  const words = (parameters.get('prompt') ?? '').split(' ').filter((word) => word !== '');
  const known = words.filter((word): word is Prompt => supported.some((prompt) => prompt === word));
  if (known.length < words.length)
    throw new OAuthError('invalid_request', `prompt must hold only ${supported.join(', ')}`);
  if (!known.includes('none') || known.length === 1) return new Set(known);
  throw new OAuthError('invalid_request', 'prompt=none must stand alone; leave the other prompts out');
}

/** The authorization request without `prompt=create`, as its query string, for after the registration. */
export function withoutCreate(encoded: string): string {
  const parameters = new URLSearchParams(encoded);
  const others = (parameters.get('prompt') ?? '').split(' ').filter((word) => word !== 'create' && word !== '');
  if (others.length === 0) parameters.delete('prompt');
  else parameters.set('prompt', others.join(' '));
  return parameters.toString();
}
