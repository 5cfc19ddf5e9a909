import { createHash } from 'node:crypto';
import type { Branding } from '../branding/branding.ts';
import type { Image } from '../branding/image.ts';
import { buildStylesheet } from './stylesheet.ts';

/** What all pages share. */
export interface PageFrame extends Pick<Branding, 'displayName' | 'helpUrl' | 'privacyUrl' | 'termsUrl'> {
  /** The path of the service in its public URL: empty at the root of a host. */
  base: string;
  /** The path of the logo. */
  logo: string | undefined;
  stylesheet: string;
  stylesheetHash: string;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** `app.ts` sets it once, so that the pages of every room, and of every error handler, look the same. */
    pageFrame: PageFrame;
  }
}

/** The path of the logo. Its name changes with the file, so that browsers keep no other one. */
export function pathOfLogo({ bytes, mediaType }: Image): string {
  const version = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  return `/assets/logo-${version}.${mediaType === 'image/png' ? 'png' : 'svg'}`;
}

export function createPageFrame({ authUrl, logo, accentColours, ...words }: Branding & { authUrl: string }): PageFrame {
  const base = new URL(authUrl).pathname.replace(/\/$/, '');
  const stylesheet = buildStylesheet(accentColours);
  const { displayName, helpUrl, privacyUrl, termsUrl } = words;
  return {
    ...{ displayName, helpUrl, privacyUrl, termsUrl },
    base,
    logo: logo && base + pathOfLogo(logo),
    stylesheet,
    stylesheetHash: hashSource(stylesheet),
  };
}

/** A source expression for a content security policy, without its quotes (CSP 3, 2.3.1). */
export function hashSource(source: string): string {
  return `sha256-${createHash('sha256').update(source).digest('base64')}`;
}
