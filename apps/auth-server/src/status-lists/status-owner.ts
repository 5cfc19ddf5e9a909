/** The client that an access token is for. */
export interface StatusOwner {
  clientId: string;
  registrationId: string;
  tokenGeneration: number;
  /** Seconds. */
  accessTokenValidity: number;
}
