/** The settings of the demo application. */
export interface Settings {
  /** Its own address. */
  demoUrl: string;
  /** The issuer. */
  authUrl: string;
  /** The organization API. */
  baseUrl: string;
  host: string;
}

/** The only place of the application that reads the environment. */
export function readSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  return {
    demoUrl: env.DEMO_URL || 'http://localhost:9002',
    authUrl: env.AUTH_URL || 'http://localhost:9000',
    baseUrl: env.BASE_URL || 'http://localhost:9001',
    host: env.HOST || '127.0.0.1',
  };
}
