import { randomBytes } from 'node:crypto';

/** The secret of a link that works once: 256 random bits. */
export const mintLinkToken = (): string => randomBytes(32).toString('base64url');
