import { createHash } from 'node:crypto';
import type { DocumentIcon } from '@gatehouse/service-kit/html';
import type { Branding } from '../branding/branding.ts';
import type { Image } from '../branding/image.ts';
import { buildStylesheet } from './stylesheet.ts';

/** The parts that all pages share. */
export interface PageFrame extends Pick<Branding, 'displayName' | 'helpUrl' | 'privacyUrl' | 'termsUrl'> {
  /** The path of the service in its public URL: empty at the root of a host. */
  base: string;
  /** The path of the logo. */
  logo: string | undefined;
  /** The path of the logo on dark pages, where that is another one. */
  logoDark: string | undefined;
  /** The icon in the tab of the browser. */
  icon: DocumentIcon;
  stylesheet: string;
  stylesheetHash: string;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** `app.ts` sets it once, so that the pages of every room, and of every error handler, look the same. */
    pageFrame: PageFrame;
  }
}

const endings = { 'image/png': 'png', 'image/svg+xml': 'svg', 'image/x-icon': 'ico' } as const;

/** The path of an image. Its name changes with the file, so that browsers keep no other one. */
function pathOfImage(kind: string, { bytes, mediaType }: Image): string {
  const version = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  return `/assets/${kind}-${version}.${endings[mediaType]}`;
}

/** The paths of the images of an organization. */
export function pathsOfImages({ logo, logoDark, favicon }: Pick<Branding, 'logo' | 'logoDark' | 'favicon'>) {
  return {
    logo: logo && pathOfImage('logo', logo),
    logoDark: logoDark && pathOfImage('logo-dark', logoDark),
    favicon: pathOfImage('icon', favicon),
  };
}

export function createPageFrame({ authUrl, accentColours, ...branding }: Branding & { authUrl: string }): PageFrame {
  const base = new URL(authUrl).pathname.replace(/\/$/, '');
  const stylesheet = buildStylesheet(accentColours);
  const { displayName, helpUrl, privacyUrl, termsUrl } = branding;
  const { logo, logoDark, favicon } = pathsOfImages(branding);
  return {
    ...{ displayName, helpUrl, privacyUrl, termsUrl },
    base,
    logo: logo && base + logo,
    logoDark: logoDark && base + logoDark,
    icon: { href: base + favicon, type: branding.favicon.mediaType },
    stylesheet,
    stylesheetHash: hashSource(stylesheet),
  };
}

/** A source expression for a content security policy, without its quotes (CSP 3, 2.3.1). */
export function hashSource(source: string): string {
  return `sha256-${createHash('sha256').update(source).digest('base64')}`;
}
