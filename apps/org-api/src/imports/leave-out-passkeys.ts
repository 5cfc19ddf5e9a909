import type { FieldError, ImportedUser } from '@gatehouse/shared';

/**
 * The line without the passkeys of domains other than `domain`, and a note of them. None of these answers here, and as a second step
 * they would keep their user out for good. A passkey that names no domain stays.
 */
export function leaveOutPasskeys(
  imported: ImportedUser,
  domain: string | undefined,
): { user: ImportedUser; problems: FieldError[] } {
  const { passkeys = [], ...others } = imported;
  const isOfHere = ({ rpId = domain }: (typeof passkeys)[number]) => rpId === domain;
  const left = new Set(passkeys.filter((passkey) => !isOfHere(passkey)).map(({ rpId }) => rpId));
  if (left.size === 0) return { user: imported, problems: [] };
  const here = domain === undefined ? 'has an IP address, so it has no passkeys' : `has those of ${domain}`;
  const detail = `passkey_of_another_domain: those of ${[...left].join(', ')} are left out, this server ${here}`;
  return { user: { ...others, passkeys: passkeys.filter(isOfHere) }, problems: [{ field: 'passkeys', detail }] };
}
