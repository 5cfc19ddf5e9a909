import { describe, expect, it } from '@jest/globals';
import { describePlace } from '../src/consent/describe-access.ts';

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
