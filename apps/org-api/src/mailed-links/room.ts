import type { Clock } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import type { LinkTokens } from '../mails/link-tokens.ts';
import { createLinkStore } from './link-store.ts';
import { createMakeLink, createRepeatLink } from './make-link.ts';

interface Dependencies {
  database: Database;
  linkTokens: LinkTokens;
  clock: Clock;
}

export type MailedLinks = ReturnType<typeof createMailedLinks>;

/** The rows of links, and how they come about. */
export function createMailedLinks({ database, linkTokens, clock }: Dependencies) {
  const links = createLinkStore(database);
  const makeLink = createMakeLink({ links, linkTokens, clock });
  return { links, makeLink, repeatLink: createRepeatLink({ links, linkTokens, makeLink, clock }) };
}
