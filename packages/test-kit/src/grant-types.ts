/** RFC 8628 3.4. */
export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
/** RFC 8693 2.1. */
export const tokenExchange = 'urn:ietf:params:oauth:grant-type:token-exchange';
/** RFC 8693 3. */
export const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';
