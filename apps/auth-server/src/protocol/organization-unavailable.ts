/** The organization cannot be asked at the moment. */
export class OrganizationUnavailableError extends Error {
  override readonly name = 'OrganizationUnavailableError';
}
