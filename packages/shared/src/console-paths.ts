/** The paths that tell how a service is. */
const state = ['/health/ready', '/openapi.json'];

/** The paths of each service that the console of administrators calls, in addition to those of OAuth. */
export const consolePaths = {
  authServer: {
    /** Each with all below it. */
    administration: [
      '/clients',
      '/resources',
      '/registration-tokens',
      '/issuers',
      '/upstreams',
      '/sessions',
      '/user-data',
      '/grants',
      '/consents',
      '/keys',
      '/configuration',
      '/findings',
      '/audit-events',
      '/refusals',
      '/statistics',
    ],
    state,
  },
  orgApi: {
    administration: ['user', 'user-imports', 'erasures', 'group', 'configuration', 'audit-events', 'refusals'].map(
      (name) => `/organization/api/organization/${name}`,
    ),
    state,
  },
} as const;
