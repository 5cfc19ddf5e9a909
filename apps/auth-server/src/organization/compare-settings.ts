import type { Logger } from '@gatehouse/service-kit';
import type { DirectorySettings } from '@gatehouse/shared';
import type { Config } from '../config.ts';

export type CompareSettings = ReturnType<typeof createCompareSettings>;

interface Dependencies {
  config: Pick<Config, 'displayName' | 'helpUrl' | 'accentColours' | 'consoleUrl'>;
  log: Pick<Logger, 'warn'>;
}

type Compared = readonly (readonly [name: string, here: string | undefined, there: string | undefined])[];

/**
 * Warns once where org-api, which sends mails, has another name or look than the pages; and once where it lets the console of another
 * address in.
 */
export function createCompareSettings({ config, log }: Dependencies) {
  const compareOnce = () => {
    let isDone = false;
    return (compared: Compared): void => {
      if (isDone) return;
      isDone = true;
      const variables = compared.filter(([, here, there]) => here !== there).map(([name]) => name);
      if (variables.length > 0) log.warn({ variables }, 'org-api has other values: give both services the same');
    };
  };
  const [compareBranding, compareConsole] = [compareOnce(), compareOnce()];
  return ({ mails, branding, consoleUrl }: DirectorySettings): void => {
    if (consoleUrl !== undefined) compareConsole([['CONSOLE_URL', config.consoleUrl ?? 'off', consoleUrl]]);
    if (mails !== true || branding === undefined) return;
    const { displayName, helpUrl, accentColor } = branding;
    compareBranding([
      ['DISPLAY_NAME', config.displayName, displayName],
      ['HELP_URL', config.helpUrl, helpUrl],
      ['ACCENT_COLOR', config.accentColours?.light, accentColor],
    ]);
  };
}
