/** The ways in which the URL of a document names no client that goes on. */
export type DocumentFaultKind = 'form' | 'unlisted' | 'unreachable' | 'bad' | 'limited';

interface DocumentFaultOptions extends ErrorOptions {
  /** Seconds. */
  retryAfter?: number;
}

/** A client_id is the URL of no document that can be used now. The message is English, and says nothing of what was read. */
export class DocumentFault extends Error {
  override readonly name = 'DocumentFault';
  readonly kind: DocumentFaultKind;
  readonly retryAfter: number | undefined;

  constructor(kind: DocumentFaultKind, message: string, { retryAfter, ...options }: DocumentFaultOptions = {}) {
    super(message, options);
    this.kind = kind;
    this.retryAfter = retryAfter;
  }
}
