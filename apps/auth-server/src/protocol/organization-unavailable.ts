/** org-api cannot be reached at the moment. */
export class OrganizationUnavailableError extends Error {
  override readonly name = 'OrganizationUnavailableError';
}
