import type { AccentColours } from '@gatehouse/service-kit/html';
import type { Image } from './image.ts';

/** What makes the pages those of an organization. */
export interface Branding {
  /** The name on every page, in place of the realm's. */
  displayName: string | undefined;
  logo: Image | undefined;
  accentColours: AccentColours | undefined;
  helpUrl: string | undefined;
  privacyUrl: string | undefined;
  termsUrl: string | undefined;
}
