/** The values of the HTTP request that rules work for. */
export interface RequestContext {
  /** auth-server sends it on to org-api, so that one id finds the log lines of both services. */
  requestId: string;
  /** The caller's IP address, to slow guessing. */
  address: string;
  /** The facts that became known of the request. They are kept with a refusal. */
  known?: KnownOfRequest;
}

/** The facts that a service knows of a request, whatever its answer tells. */
export interface KnownOfRequest {
  /** The client_id of the registered client that sent the request, or that it names. */
  client?: string | undefined;
  /** The username of the user who sent it, or whom it names, and who exists. */
  user?: string | undefined;
  /** The registered issuer, by its URL, whose token the client sends to prove itself. */
  issuer?: string | undefined;
  /** Why it is refused, where that says more than the answer may. Never a value that came with the request. */
  reason?: string | undefined;
}

/** Adds to the facts that are known of a request. Those from before stay where `known` says nothing. */
export function noteKnown(context: RequestContext, { client, user, issuer, reason }: KnownOfRequest): void {
  context.known ??= { client: undefined, user: undefined, issuer: undefined, reason: undefined };
  const { known } = context;
  known.client = client ?? known.client;
  known.user = user ?? known.user;
  known.issuer = issuer ?? known.issuer;
  known.reason = reason ?? known.reason;
}
