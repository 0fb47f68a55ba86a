import { hash, randomBytes } from 'node:crypto';

/** Tokens are random: a slow hash would only add latency (docs/api-decisions.md §2), and lookups need no constant-time comparison. */
export const hashOfToken = (token: string): string => hash('sha256', token, 'hex');

export const mintLinkToken = (): string => randomBytes(32).toString('base64url');
