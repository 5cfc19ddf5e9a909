/** Where an object is in the console. */
export const clientPath = (clientId: string, tab = 'settings') => `/clients/${encodeURIComponent(clientId)}/${tab}`;
export const userPath = (username: string, tab = 'profile') => `/users/${encodeURIComponent(username)}/${tab}`;
/** Below the list. */
export const upstreamPath = (alias: string, tab = 'settings') => `${encodeURIComponent(alias)}/${tab}`;
export const refusalPath = (request: string) => `/refusals/${encodeURIComponent(request)}`;
