import type { TokenLimits } from './resource.ts';

/** The one resource that an access token is meant for. */
export interface TokenTarget {
  /** The `aud`: the URI as it was registered. */
  audience: string;
  /** The granted scopes of this resource. */
  scope: readonly string[];
  /** Seconds: the smaller of the client's setting and the resource's. */
  accessTokenValidity: number;
  requiredAcr?: TokenLimits['requiredAcr'];
  maxAge?: TokenLimits['maxAge'];
  tokenGroups?: TokenLimits['tokenGroups'];
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

export function buildTarget(
  client: Requester,
  audience: string,
  scope: readonly string[],
  { accessTokenValidity = client.accessTokenValidity, requiredAcr, maxAge, tokenGroups }: TokenLimits,
): TokenTarget {
  return {
    audience,
    scope,
    accessTokenValidity: Math.min(client.accessTokenValidity, accessTokenValidity),
    requiredAcr,
    maxAge,
    ...(tokenGroups && { tokenGroups }),
  };
}
