import { describe, expect, it } from '@jest/globals';
import { buildResourceMetadata } from '../src/metadata/protected-resource.ts';

const issuer = 'https://auth.example.com';

describe('the place of the metadata (RFC 9728 3.1)', () => {
  it.each([
    ['https://api.example.com', 'https://api.example.com/.well-known/oauth-protected-resource'],
    ['https://api.example.com/', 'https://api.example.com/.well-known/oauth-protected-resource'],
    ['https://api.example.com/v1', 'https://api.example.com/.well-known/oauth-protected-resource/v1'],
    ['https://api.example.com/v1/a?k=b', 'https://api.example.com/.well-known/oauth-protected-resource/v1/a?k=b'],
  ])('of %s is %s, and the document repeats the resource to the letter', (resource, url) => {
    expect(buildResourceMetadata({ issuer, resource })).toMatchObject({ url, document: { resource } });
  });

  it.each(['orders', 'urn:example:orders', 'https://'])('is nowhere for %s', (resource) => {
    expect(buildResourceMetadata({ issuer, resource })).toBeUndefined();
  });
});
