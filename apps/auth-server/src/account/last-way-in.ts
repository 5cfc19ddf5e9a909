import type { RemovedMethod, UserMethods } from '@gatehouse/shared';

/** The only way in which a user can sign in: the password, or the id of a passkey; undefined where there are several. */
export function findLastWayIn({ password, passkeys }: Pick<UserMethods, 'password' | 'passkeys'>): string | undefined {
  const alone = passkeys.filter(({ userVerified }) => userVerified).map(({ id }) => id);
  const ways = password === null ? alone : ['password', ...alone];
  return ways.length === 1 ? ways[0] : undefined;
}

/** Says why a method cannot be removed; undefined where it can. */
export function findRemovalRefusal(
  methods: UserMethods,
  removed: RemovedMethod,
): 'unknown' | 'last_way_in' | undefined {
  if ('codeApp' in removed) return methods.codeApp === null ? 'unknown' : undefined;
  const way = 'passkey' in removed ? removed.passkey : 'password';
  const isThere = way === 'password' ? methods.password !== null : methods.passkeys.some(({ id }) => id === way);
  if (!isThere) return 'unknown';
  return findLastWayIn(methods) === way ? 'last_way_in' : undefined;
}

/** Whether no second step would be left without this method. */
export function isLastSecondStep({ passkeys, codeApp }: UserMethods, removed: RemovedMethod): boolean {
  if ('password' in removed) return false;
  return passkeys.length + (codeApp === null ? 0 : 1) === 1;
}
