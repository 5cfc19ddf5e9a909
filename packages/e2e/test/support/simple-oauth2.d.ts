/** The part of simple-oauth2 5 that the tests call; the package has no types of its own. */
declare module 'simple-oauth2' {
  interface Options {
    client: { id: string; secret: string };
    auth: { tokenHost: string; tokenPath: string; revokePath?: string; authorizePath?: string };
  }
  interface AccessToken {
    token: Record<string, unknown> & { access_token: string; refresh_token?: string };
    expired(): boolean;
    refresh(): Promise<AccessToken>;
    revoke(type: 'access_token' | 'refresh_token'): Promise<void>;
    revokeAll(): Promise<void>;
  }
  interface Grants {
    AuthorizationCode: new (
      options: Options,
    ) => {
      authorizeURL(parameters: Record<string, string>): string;
      getToken(parameters: Record<string, string>): Promise<AccessToken>;
    };
    ClientCredentials: new (options: Options) => { getToken(parameters: Record<string, string>): Promise<AccessToken> };
    ResourceOwnerPassword: new (
      options: Options,
    ) => { getToken(parameters: Record<string, string>): Promise<AccessToken> };
  }
  const grants: Grants;
  export default grants;
}
