/** The demo users, as username and password. */
export const administrator: [string, string] = ['admin@example.com', 'admin-password'];
export const idpAdministrator: [string, string] = ['idp.admin@example.com', 'idp-password'];
export const plainUser: [string, string] = ['user@example.com', 'user-password'];
export const robotUsername = 'robot@example.com';
