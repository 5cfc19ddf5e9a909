import type { AccentColours } from '@gatehouse/service-kit/html';
import type { Image } from './image.ts';

/** The settings that make the pages those of an organization. */
export interface Branding {
  /** The name on every page, in place of the realm's. */
  displayName: string | undefined;
  logo: Image | undefined;
  /** In place of the logo on dark pages. */
  logoDark: Image | undefined;
  /** In the tab of a browser. */
  favicon: Image;
  accentColours: AccentColours | undefined;
  helpUrl: string | undefined;
  privacyUrl: string | undefined;
  termsUrl: string | undefined;
}
