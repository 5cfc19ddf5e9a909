import { facetTerm, listWords, type SearchQuery, type TermedObject, termsOfWords } from '@gatehouse/service-kit/terms';
import type { User } from './user.ts';

/** The term of an enabled Person whose e-mail address is not verified. */
export const unverifiedPersonTerm = facetTerm('finding', 'unverified_address');

/** Each value by which lists of users are filtered, as its term. */
export const userFacets = {
  userType: (userType: string) => facetTerm('userType', userType),
  role: (role: string) => facetTerm('role', role),
  enabled: (value: string) => facetTerm('enabled', value),
  /** There is one. */
  finding: () => unverifiedPersonTerm,
} satisfies Record<string, (value: string) => string>;

export type UserFacet = keyof typeof userFacets;

/** By what a user is found. */
export function describeUserTerms(user: User): SearchQuery {
  const { username, email, firstName, middleName = '', lastName } = user;
  return {
    words: [...new Set([username, email, firstName, middleName, lastName].flatMap(listWords))],
    facets: [
      userFacets.userType(user.userType),
      ...user.roles.map(userFacets.role),
      userFacets.enabled(String(user.enabled)),
      ...(user.enabled && user.userType === 'Person' && !user.emailVerified ? [unverifiedPersonTerm] : []),
    ],
  };
}

/** A user with the terms by which it is found. */
export function termedUser(user: User): TermedObject {
  const { words, facets } = describeUserTerms(user);
  return { id: user.id, updatedAt: user.updatedAt, terms: [...termsOfWords(words), ...facets] };
}
