import { randomBytes } from 'node:crypto';

/** 256 random bits for a link that works once. */
export const mintLinkToken = (): string => randomBytes(32).toString('base64url');
