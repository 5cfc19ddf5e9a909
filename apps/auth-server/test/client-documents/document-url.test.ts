import { describe, expect, it } from '@jest/globals';
import { isListedDocument, isWellFormedDocumentUrl } from '../../src/clients/document-url.ts';

describe('the URL of a metadata document', () => {
  it.each([
    'https://claude.ai/oauth/claude-code-client-metadata',
    'https://example.com/a',
    'https://example.com:8443/a/',
    'https://example.com:443/a',
    'https://CLAUDE.AI/a',
    'https://example.com/a;b=c/..d/%2fe/...',
    `https://example.com/${'a'.repeat(235)}`,
  ])('may be %s', (url) => {
    expect(isWellFormedDocumentUrl(url)).toBe(true);
  });

  it.each([
    'https://example.com',
    'https://example.com/',
    'http://example.com/a',
    'HTTPS://example.com/a',
    'https:/example.com/a',
    'https:///a',
    'https://example.com/a?',
    'https://example.com/a?b',
    'https://example.com/a#b',
    'https://me@example.com/a',
    'https://me:secret@example.com/a',
    'https://example.com/./a',
    'https://example.com/a/..',
    'https://example.com/%2e%2E/a',
    'https://example.com/a/.%2e/b',
    'https://example.com\\a',
    'https://example.com/a\\..\\b',
    'https://exa mple.com/a',
    'https://example.com/ä',
    'https://[::1/a',
    `https://example.com/${'a'.repeat(236)}`,
  ])('is not %s', (url) => {
    expect(isWellFormedDocumentUrl(url)).toBe(false);
  });

  it('is listed to the letter, or by a prefix that ends in a slash', () => {
    const listed = ['https://a.example/client', 'https://b.example/tools/'];
    const isListed = (url: string) => isListedDocument(url, listed);
    expect(['https://a.example/client', 'https://b.example/tools/x/y'].map(isListed)).toEqual([true, true]);
    const others = [
      'https://a.example/client/',
      'https://a.example/clientele',
      'https://b.example/toolsx',
      'https://B.example/tools/x',
    ];
    expect(others.map(isListed)).toEqual([false, false, false, false]);
  });
});
