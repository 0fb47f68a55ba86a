import { hash, randomBytes } from 'node:crypto';

/** The secret of a link that works once: 256 random bits. */
export const mintLinkToken = (): string => randomBytes(32).toString('base64url');

/** What stands in the database for it; what is looked up by a hash needs no comparison in constant time. */
export const hashOfLinkToken = (token: string): string => hash('sha256', token, 'hex');
