import { createHash, randomBytes } from 'node:crypto';
import { deriveKey } from '@gatehouse/service-kit';
import { describe, expect, it } from '@jest/globals';
import { isCodeChallenge, isCodeVerifier, matchesCodeChallenge } from '../../src/codes/pkce.ts';
import { createKeyEncryption } from '../../src/keys/key-encryption.ts';
import { createOpaqueToken, hashOpaqueToken } from '../../src/protocol/opaque-token.ts';

describe('PKCE', () => {
  // RFC 7636 appendix B
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
  const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

  it('accepts the verifier and the challenge of RFC 7636 appendix B', () => {
    expect(isCodeVerifier(verifier)).toBe(true);
    expect(isCodeChallenge(challenge)).toBe(true);
    expect(matchesCodeChallenge(verifier, challenge)).toBe(true);
  });

  it.each([
    ['another verifier', `${verifier.slice(0, -1)}l`, challenge],
    ['the challenge itself, as method plain would have it', challenge, challenge],
    ['a challenge cut short', verifier, challenge.slice(0, -2)],
    ['no challenge', verifier, ''],
    ['another case', verifier.toLowerCase(), challenge],
  ])('refuses %s (RFC 7636 4.6)', (_case, given, expected) => {
    expect(matchesCodeChallenge(given, expected)).toBe(false);
  });

  it.each([
    [42, false],
    [43, true],
    [128, true],
    [129, false],
  ])('takes a verifier of %i characters: %s (RFC 7636 4.1)', (length, accepted) => {
    expect(isCodeVerifier('a'.repeat(length))).toBe(accepted);
  });

  it.each(['+', '/', '=', ' ', 'é', '\n'])('takes no verifier and no challenge with %j', (character) => {
    expect(isCodeVerifier(verifier.slice(1) + character)).toBe(false);
    expect(isCodeChallenge(challenge.slice(1) + character)).toBe(false);
  });

  it.each([42, 44])('takes no challenge of %i characters (RFC 7636 4.2)', (length) => {
    expect(isCodeChallenge('a'.repeat(length))).toBe(false);
  });
});

describe('opaque tokens', () => {
  it('are 256 random bits of base64url', () => {
    const tokens = Array.from({ length: 100 }, () => createOpaqueToken().token);
    expect(new Set(tokens).size).toBe(100);
    for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  it('are known by their SHA-256 hash, which does not hold them', () => {
    const { token, hash } = createOpaqueToken();
    expect(hash).toEqual(createHash('sha256').update(token).digest());
    expect(hashOpaqueToken(token)).toEqual(hash);
    expect(hashOpaqueToken(`${token} `)).not.toEqual(hash);
    expect(hash.toString('latin1')).not.toContain(token);
  });
});

describe('key encryption', () => {
  const root = randomBytes(32);
  const encryption = createKeyEncryption(root);
  const secret = '-----BEGIN PRIVATE KEY----- ünïcode';

  it('gives back what was encrypted for the same context', () => {
    expect(encryption.decrypt(encryption.encrypt(secret, 'kid'), 'kid')).toBe(secret);
    expect(createKeyEncryption(Buffer.from(root)).decrypt(encryption.encrypt(secret, 'kid'), 'kid')).toBe(secret);
  });

  it('never encrypts alike twice, and shows nothing of the text or of the key', () => {
    const [one, two] = [encryption.encrypt(secret, 'kid'), encryption.encrypt(secret, 'kid')];
    expect(one).not.toBe(two);
    const parts = one.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'));
    expect(parts.join('')).not.toContain('PRIVATE');
    expect(one).not.toContain(root.toString('base64url').slice(0, 10));
    expect(one).not.toContain(root.toString('hex').slice(0, 10));
  });

  it('refuses another context', () => {
    const sealed = encryption.encrypt(secret, 'kid');
    expect(() => encryption.decrypt(sealed, 'other')).toThrow();
    expect(() => encryption.decrypt(sealed, '')).toThrow();
  });

  it('refuses another key, by name', () => {
    const sealed = encryption.encrypt(secret, 'kid');
    const other = createKeyEncryption(randomBytes(32));
    expect(() => other.decrypt(sealed, 'kid')).toThrow(/KEY_ENCRYPTION_KEY/);
  });

  it.each([1, 2, 3])('notices a change in part %i', (part) => {
    const parts = encryption.encrypt(secret, 'kid').split('.');
    const bytes = Buffer.from(parts[part] ?? '', part === 1 ? 'latin1' : 'base64url');
    for (const position of [0, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[position] = (changed[position] ?? 0) ^ 1;
      const text = changed.toString(part === 1 ? 'latin1' : 'base64url');
      expect(() => encryption.decrypt(parts.with(part, text).join('.'), 'kid')).toThrow();
    }
  });

  it.each(['', 'v1', 'v1...', 'v2.a.b.c', 'plain text', '-----BEGIN PRIVATE KEY-----'])('refuses %j', (text) => {
    expect(() => encryption.decrypt(text, 'kid')).toThrow();
  });

  it('refuses another version of the form, whatever key it names', () => {
    const sealed = encryption.encrypt(secret, 'kid').replace('v1.', 'v2.');
    expect(() => encryption.decrypt(sealed, 'kid')).toThrow('encrypted with another KEY_ENCRYPTION_KEY');
  });

  it('refuses a tag that was cut short', () => {
    const sealed = encryption.encrypt(secret, 'kid');
    const [version, id, iv] = sealed.split('.');
    for (const length of [0, 4, 12, 15]) {
      const short = Buffer.from(sealed.split('.')[3] ?? '', 'base64url')
        .subarray(-16)
        .subarray(0, length);
      expect(() => encryption.decrypt([version, id, iv, short.toString('base64url')].join('.'), 'kid')).toThrow();
    }
  });

  it('derives a key of its own for each purpose, the same on every replica (RFC 5869)', () => {
    const derived = deriveKey(root, 'form token');
    expect(derived).toHaveLength(32);
    expect(deriveKey(Buffer.from(root), 'form token')).toEqual(derived);
    expect(deriveKey(root, 'refresh token successor')).not.toEqual(derived);
    expect(deriveKey(randomBytes(32), 'form token')).not.toEqual(derived);
    expect(derived).not.toEqual(root);
  });
});
