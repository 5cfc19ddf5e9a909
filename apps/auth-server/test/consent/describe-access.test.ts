import { describe, expect, it } from '@jest/globals';
import { describeAll, describeConsent, describePlace } from '../../src/consent/describe-access.ts';
import { en } from '../../src/pages/messages/en.ts';

describe('the place where an answer goes', () => {
  it.each([
    ['https://app.example.com/callback', 'app.example.com'],
    ['http://127.0.0.1:8976/callback', '127.0.0.1:8976'],
    ['com.example.app:/callback', 'com.example.app:'],
    // Whatever program holds the scheme gets the answer, and not the host.
    ['com.example.app://bank.example.com/callback', 'com.example.app:'],
  ])('of %s is %s', (redirectUri, place) => {
    expect(describePlace(redirectUri)).toBe(place);
  });
});

describe('access in words', () => {
  it('has the name of a scope or a claim that has no words', () => {
    expect(describeAll({ scope: ['openid', 'toString'], claims: ['unheard_of'] }, en)).toEqual([
      en.scopes.openid,
      'toString',
      'unheard_of',
    ]);
  });

  it('is told with the day on which it was given, in UTC', () => {
    const grantedAt = Date.parse('2026-03-31T23:30:00Z');
    const words = describeConsent({ scope: ['unheard'], claims: [], shown: [], grantedAt }, en);
    expect(words).toContain('March 31, 2026');
  });
});
