/** Separate from the library, because loading it is slow. */
export const authPath = '/api/auth';
/** Set by the gateway; the header of a client is never used. */
export const addressHeader = 'x-posthorn-address';
export const shortestPassword = 10;
export const maxPassword = 128;
