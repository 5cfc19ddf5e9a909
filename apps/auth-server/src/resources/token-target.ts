/** The one resource that an access token is meant for. */
export interface TokenTarget {
  /** The `aud`: the URI as it was registered. */
  audience: string;
  /** The granted scopes of this resource. */
  scope: readonly string[];
  /** Seconds: the smaller of the client's setting and the resource's. */
  accessTokenValidity: number;
}

/** A client, as far as it decides which resources it may ask for. */
export interface Requester {
  scope: readonly string[];
  /** Seconds. */
  accessTokenValidity: number;
  metadata: { resources?: readonly string[]; default_resource?: string };
  /** Where it registered itself. */
  dynamic?: object | undefined;
}

/** Whether the client may have tokens of the resource now. One that registered itself may while the resource is open to such clients. */
export function isOpenTo({ dynamic }: Requester, { dynamicClients }: { dynamicClients: boolean }): boolean {
  return dynamic === undefined || dynamicClients;
}

/** `seconds`: the longest that the resource allows; undefined where the client's setting alone decides. */
export function buildTarget(
  { accessTokenValidity }: Requester,
  audience: string,
  scope: readonly string[],
  seconds: number | undefined,
): TokenTarget {
  return {
    audience,
    scope,
    accessTokenValidity: seconds === undefined ? accessTokenValidity : Math.min(accessTokenValidity, seconds),
  };
}

/** A promise only where a look-up is needed: requests for org-api, almost all of them, wait for nothing. */
export type MaybeLater<T> = T | Promise<T>;

export function mapMaybe<T, U>(value: MaybeLater<T>, map: (value: T) => U): MaybeLater<U> {
  return value instanceof Promise ? value.then(map) : map(value);
}
