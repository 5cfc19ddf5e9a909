import { ProblemError } from '@gatehouse/shared';

/** The 409 of a change that was checked against something older than what is stored now. */
export function editConflict(what: 'client' | 'resource' | 'issuer' | 'upstream'): ProblemError {
  return new ProblemError(
    409,
    `another administrator changed the ${what} at the same time; read the ${what} and repeat the change`,
  );
}
