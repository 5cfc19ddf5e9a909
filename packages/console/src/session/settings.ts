/** The folder of the console, with a slash at the end. */
export const consoleUrl = new URL('../', import.meta.url);

/** The content of `settings.json`. */
export interface Settings {
  issuer: string;
  base_url: string;
  realm: string;
  display_name: string;
  client_id: string;
}

/** The nonce spares the first requests a second try. */
export async function loadSettings(): Promise<{ settings: Settings; nonce: string | undefined }> {
  const response = await fetch(new URL('settings.json', consoleUrl), { credentials: 'omit' });
  if (!response.ok) throw new Error(`settings.json: ${response.status}`);
  return { settings: (await response.json()) as Settings, nonce: response.headers.get('dpop-nonce') ?? undefined };
}
