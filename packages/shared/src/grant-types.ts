/** RFC 8628 3.4. */
export const deviceCodeGrantType = 'urn:ietf:params:oauth:grant-type:device_code';
/** RFC 8693 2.1. */
export const tokenExchangeGrantType = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** The facts about a grant type outside of the file that decides what it issues. */
interface GrantTypeRules {
  /** A client without a secret may have it (RFC 6749 2.1). */
  public: boolean;
  /** Its answers go to a redirect URI. */
  redirects: boolean;
  /** It is a value of `grant_type` at the token endpoint. */
  atTokenEndpoint: boolean;
  /** It stands in `grant_types_supported`: others know the name. */
  published: boolean;
  /** A client may have it that registers itself: openly, or by an initial access token only. */
  dynamic: 'open' | 'by_token' | 'no';
  /** A client with the profile fapi2, or fapi2_message_signing, may have it. */
  fapi2: boolean;
  /** A client with the profile oauth21 may have it. */
  oauth21: boolean;
  /** An installation may switch it off. */
  switchable: boolean;
}

const usual = {
  public: false,
  redirects: false,
  atTokenEndpoint: true,
  published: true,
  dynamic: 'no',
  fapi2: false,
  oauth21: true,
  switchable: true,
} as const satisfies GrantTypeRules;

/** All grant types, in the order in which texts name them. */
const rules = {
  authorization_code: { ...usual, public: true, redirects: true, dynamic: 'open', fapi2: true, switchable: false },
  client_credentials: { ...usual, dynamic: 'by_token', fapi2: true },
  password: { ...usual, oauth21: false },
  refresh_token: { ...usual, public: true, dynamic: 'open', fapi2: true, switchable: false },
  implicit: { ...usual, public: true, redirects: true, atTokenEndpoint: false, oauth21: false },
  service_account: { ...usual, published: false, fapi2: true },
  [deviceCodeGrantType]: { ...usual, public: true, dynamic: 'by_token' },
  [tokenExchangeGrantType]: usual,
} as const satisfies Record<string, GrantTypeRules>;

export type GrantType = keyof typeof rules;
/** The values of `grant_type`. */
export type TokenGrantType = {
  [Name in GrantType]: (typeof rules)[Name]['atTokenEndpoint'] extends true ? Name : never;
}[GrantType];

export const grantTypes = Object.keys(rules) as GrantType[];

/** The grant types whose rules match. */
export function listGrantTypes(matches: (rules: GrantTypeRules) => boolean): GrantType[] {
  return grantTypes.filter((name) => matches(rules[name]));
}
