import { isPlainHost } from '@gatehouse/service-kit';
import { findLiteral, findReach } from './address.ts';
import { OutboundFailure } from './outbound-failure.ts';

export interface OutboundRuleOptions {
  /** Hosts, and suffixes that start with a dot, at which private and loopback addresses are allowed. */
  privateHosts: readonly string[];
  /** Whether loopback addresses are allowed at every host, by http too: development on one machine. */
  allowsLoopback: boolean;
}

export type OutboundRule = ReturnType<typeof createOutboundRule>;

/** The most characters of an address of others. */
const longestUrl = 512;

/** Says which addresses of others are called. */
export function createOutboundRule({ privateHosts, allowsLoopback }: OutboundRuleOptions) {
  const isPrivateHost = (host: string) => isPlainHost(host.toLowerCase().replace(/\.$/, ''), privateHosts);

  const isAllowed = (host: string, address: string, isPlain: boolean): boolean => {
    const reach = findReach(address);
    if (reach === 'loopback' && allowsLoopback) return true;
    if (isPlain || reach === 'never') return false;
    return reach === 'public' || isPrivateHost(host);
  };

  /** Throws where an address that a host has is not allowed. */
  const checkAddress = ({ hostname, protocol }: URL, address: string): void => {
    if (isAllowed(hostname, address, protocol === 'http:')) return;
    throw new OutboundFailure('refused address', `${hostname} is at ${address}, which is not called`);
  };

  return {
    /** The URL to call; throws where it is not of the kind that is called, or names an address that is not allowed. */
    parse(text: string): URL {
      if (text.length > longestUrl || !URL.canParse(text)) {
        throw new OutboundFailure('refused address', 'not a URL of at most 512 characters');
      }
      const url = new URL(text);
      if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowsLoopback)) {
        throw new OutboundFailure('refused address', `${url.hostname} is not called by ${url.protocol}`);
      }
      if (url.username !== '' || url.password !== '') {
        throw new OutboundFailure('refused address', 'a URL with user information');
      }
      const literal = findLiteral(url.hostname);
      if (literal !== undefined) checkAddress(url, literal);
      return url;
    },
    checkAddress,
  };
}
