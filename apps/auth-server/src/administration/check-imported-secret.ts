import { fieldsProblem } from '@gatehouse/shared';
import { isSecretHash } from '../clients/client-secret.ts';
import type { Administrator } from './administrator.ts';
import { MissingRoleError } from './missing-role.ts';

interface Sent {
  client_secret?: string | undefined;
  client_secret_hash?: string | undefined;
}

/** Checks a hash that is sent in the place of a secret, where there is one. Throws 400, and 403 for any but a SystemAdministrator. */
export function checkImportedSecret(
  { client_secret: secret, client_secret_hash: hash }: Sent,
  by: Administrator,
): void {
  if (hash === undefined) return;
  if (!by.roles.includes('SystemAdministrator')) {
    throw new MissingRoleError('importing the hash of a secret requires SystemAdministrator');
  }
  if (secret !== undefined) {
    throw fieldsProblem([{ field: 'client_secret_hash', detail: 'must not come with client_secret' }]);
  }
  if (!isSecretHash(hash)) {
    const detail = 'must be argon2, bcrypt, PBKDF2 or scrypt in its usual form, within the bounds';
    throw fieldsProblem([{ field: 'client_secret_hash', detail }]);
  }
}
