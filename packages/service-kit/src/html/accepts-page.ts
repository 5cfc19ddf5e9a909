/** Whether the sender of a request names HTML among what it takes (RFC 9110 12.5.1), as browsers do for pages. */
export function acceptsPage(accept = ''): boolean {
  return /(^|[\s,])(text\/html|application\/xhtml\+xml)\b/i.test(accept);
}
