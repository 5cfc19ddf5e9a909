import type { DirectoryUser, Role } from '@gatehouse/shared';

/** A user who administers clients. */
export interface Administrator {
  user: DirectoryUser;
  /** The roles that count here: the user's now, as far as the client through which the user acts allows. */
  roles: readonly Role[];
}
