import { describe, expect, it } from '@jest/globals';
import { placeOfFault } from '../src/refusals/place-of-fault.ts';
import { rightsOf } from '../src/rights.ts';

const refusal = {
  ...{ id: '1', request: 'request', time: '2026-01-01T00:00:00.000Z', operation: 'issueToken', status: 400 },
  ...{ reason: 'why', advice: 'what to do', network: '192.0.2.1' },
};
const rights = rightsOf(['IdpAdministrator']);

describe('the place of what a request was refused for', () => {
  it.each([
    ['invalid_scope', '/clients/shop/settings#scope'],
    ['invalid_client', '/clients/shop/secrets'],
    ['invalid_grant', undefined],
  ])('is, of a client with %s, %s', (code, place) => {
    expect(placeOfFault({ ...refusal, code, client: 'shop' }, rights)).toBe(place);
    expect(placeOfFault({ ...refusal, code }, rights)).toBeUndefined();
  });

  it('is the record of a user who is disabled, or lacks a role', () => {
    const user = 'user@example.com';
    const disabled = { ...refusal, code: 'wrong_credentials', reason: 'the user is disabled', user };
    expect(placeOfFault(disabled, rights)).toBe('/users/user%40example.com/profile');
    expect(placeOfFault({ ...refusal, code: 'forbidden', user }, rights)).toBe(
      '/users/user%40example.com/profile#roles',
    );
    expect(placeOfFault(disabled, rightsOf([]))).toBeUndefined();
  });
});
