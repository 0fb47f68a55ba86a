import { hash } from 'node:crypto';

/**
 * Tokens are random, so a slow hash would only add latency (docs/api-decisions.md §2), and a lookup by hash
 * needs no constant-time comparison.
 */
export const hashOfToken = (token: string): string => hash('sha256', token, 'hex');
