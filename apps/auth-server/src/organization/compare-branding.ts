import type { Logger } from '@gatehouse/service-kit';
import type { DirectorySettings } from '@gatehouse/shared';
import type { Config } from '../config.ts';

export type CompareBranding = ReturnType<typeof createCompareBranding>;

interface Dependencies {
  config: Pick<Config, 'displayName' | 'helpUrl' | 'accentColours'>;
  log: Pick<Logger, 'warn'>;
}

/** Warns once where org-api, which sends mails, has another name or look than the pages. */
export function createCompareBranding({ config, log }: Dependencies) {
  let isDone = false;
  return ({ mails, branding }: DirectorySettings): void => {
    if (isDone || mails !== true || branding === undefined) return;
    isDone = true;
    const { displayName, helpUrl, accentColor } = branding;
    const compared = [
      ['DISPLAY_NAME', config.displayName, displayName],
      ['HELP_URL', config.helpUrl, helpUrl],
      ['ACCENT_COLOR', config.accentColours?.light, accentColor],
    ] as const;
    const variables = compared.filter(([, here, there]) => here !== there).map(([name]) => name);
    if (variables.length > 0) log.warn({ variables }, 'org-api has other values: give both services the same');
  };
}
