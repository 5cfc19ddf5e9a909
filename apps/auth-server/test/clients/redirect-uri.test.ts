import { describe, expect, it } from '@jest/globals';
import { findRedirectUriFault } from '../../src/clients/redirect-uri.ts';

describe('redirect URI', () => {
  it.each([
    'https://app.example.com',
    'https://app.example.com/callback?tenant=1&next=%2Fhome',
    'https://app.example.com:8443/cb',
    'HTTPS://APP.EXAMPLE.COM/CB',
    'https://[2001:db8::1]/cb',
    'https://xn--bcher-kva.example/',
    `https://app.example.com/${'x'.repeat(2024)}`,
  ])('may be https: %s', (uri) => {
    expect(findRedirectUriFault(uri)).toBeUndefined();
  });

  it.each([
    'http://localhost/cb',
    'http://localhost:3000/cb',
    'http://LOCALHOST:3000/cb',
    'http://127.0.0.1:51004/cb',
    'http://[::1]:8080/cb',
  ])('may be http on a loopback host (RFC 8252 7.3): %s', (uri) => {
    expect(findRedirectUriFault(uri)).toBeUndefined();
  });

  it.each(['com.example.app:/oauth2redirect', 'com.example.app://callback', 'com.example.app:callback?x=1'])(
    'may have a private-use scheme with a dot (RFC 8252 7.1): %s',
    (uri) => {
      expect(findRedirectUriFault(uri)).toBeUndefined();
    },
  );

  it.each(['https://user@app.example.com/cb', 'https://:secret@app.example.com/cb', 'https://a:b@app.example.com/cb'])(
    'may not carry a user name or a password: %s',
    (uri) => {
      expect(findRedirectUriFault(uri)).toBe('must not carry a user name or a password');
    },
  );

  it.each(['https://*.example.com/cb', 'https://app.example.com/*', 'com.example.app:/*'])(
    'may not be a pattern (RFC 9700 2.1), and the reason says so: %s',
    (uri) => {
      expect(findRedirectUriFault(uri)).toBe('must not hold *: redirect URIs are compared exactly, so list each one');
    },
  );

  it.each([
    'http://app.example.com/cb',
    'http://localhost.example.com/cb',
    'http://localhost.:80/cb',
    'http://127.0.0.1.example.com/',
    'http://127.0.0.2/',
    'http://0.0.0.0/',
    'http://[::]/',
    'http://10.0.0.1/',
    'http://example.com:localhost@10.0.0.1/',
  ])('may not be http on any other host: %s', (uri) => {
    expect(findRedirectUriFault(uri)).toBeDefined();
  });

  it.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'ftp://app.example.com/',
    'vbscript:x',
    'blob:https://app.example.com/1',
    'myapp:/cb',
    'urn:ietf:wg:oauth:2.0:oob',
    'ws://localhost/',
  ])('may not have another scheme: %s', (uri) => {
    expect(findRedirectUriFault(uri)).toBe(
      'must be https, http on a loopback host, or a private-use scheme with a dot',
    );
  });

  it.each(['https://app.example.com/#', 'https://app.example.com/#top', 'com.example.app:/cb#x', 'https://h/?q=#'])(
    'may not have a fragment, not even an empty one (RFC 6749 3.1.2): %s',
    (uri) => {
      expect(findRedirectUriFault(uri)).toBe('must not have a fragment');
    },
  );

  it.each([
    '/callback',
    'callback',
    '//app.example.com/cb',
    'app.example.com',
    'https:/app.example.com/',
    'https:app.example.com',
    'https:///app.example.com/',
    'https://',
    'https://:443/',
    'https://app.example.com:99999/',
    'https://exa%00mple.com/',
    '?x=1',
  ])('must be absolute and well formed (RFC 6749 3.1.2): %s', (uri) => {
    expect(findRedirectUriFault(uri)).toBe('must be an absolute URL');
  });

  it.each([
    '',
    ' https://app.example.com/',
    'https://app.example.com/ ',
    'https://app.example.com/a b',
    'https://app.example.com/\n',
    'https://app.example.com/\r\nSet-Cookie:x',
    'https://app.example.com/\u0000',
    'https://app.example.com\\@evil.example/',
    'https://bücher.example/',
    'https://app.example.com/"><script>',
    'https://app.example.com/{id}',
    'https://app.example.com/`|^',
    `https://app.example.com/${'x'.repeat(2025)}`,
  ])('must be printable ASCII without delimiters, at most 2048 characters: %j', (uri) => {
    expect(findRedirectUriFault(uri)).toBe('must be an absolute URL of at most 2048 printable ASCII characters');
  });

  it.each(['https://user@app.example.com/', 'https://user:pw@app.example.com/', 'com.example.app://user@host/'])(
    'may not carry a user name or a password: %s',
    (uri) => {
      expect(findRedirectUriFault(uri)).toBe('must not carry a user name or a password');
    },
  );
});
