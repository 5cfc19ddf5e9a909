/** A run of indices in a status list. */
export interface StatusRange {
  listId: number;
  first: number;
  size: number;
}

/** Indices of a list that are to be a registration's own. */
export interface NewStatusBlock {
  listId: number;
  registrationId: string;
  /** `tokenGeneration` of the client. */
  generation: number;
  size: number;
  expiresAt: number;
}
