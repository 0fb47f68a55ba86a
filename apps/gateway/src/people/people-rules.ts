/** What clients, pages and the library agree on; kept apart from it, as loading the library takes its time. */
export const authPath = '/api/auth';
/** Set by the gateway itself on what it hands on; nothing of this name is taken from a client. */
export const addressHeader = 'x-posthorn-address';
export const shortestPassword = 10;
export const maxPassword = 128;
