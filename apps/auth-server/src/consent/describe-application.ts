import type { Client } from '../clients/client.ts';
import type { ClientLogoStore } from '../clients/client-logo-store.ts';
import type { ApplicationLinks } from '../pages/application.ts';

/** Gives the links and the logo that a client shows next to its name on the pages for its users. */
export type DescribeApplication = (client: Client) => Promise<ApplicationLinks>;

interface Dependencies {
  config: { authUrl: string };
  clientLogos: Pick<ClientLogoStore, 'findRecentDigest'>;
}

export function createDescribeApplication({ config, clientLogos }: Dependencies): DescribeApplication {
  const base = new URL(config.authUrl).pathname.replace(/\/$/, '');
  return async (client) => {
    const { client_uri: website, policy_uri: privacy, tos_uri: terms } = client.metadata;
    const version = (await clientLogos.findRecentDigest(client))?.toString('hex').slice(0, 16);
    const logo = version && `${base}/assets/clients/${client.clientId}/logo.png?v=${version}`;
    return { website, privacy, terms, logo };
  };
}
