import { hash } from 'node:crypto';

/**
 * What is stored of a key's, a session's or a link's token: each is random, so that a slow hash would add latency only
 * (docs/api-decisions.md §2), and what is looked up by its hash needs no comparison in constant time.
 */
export const hashOfToken = (token: string): string => hash('sha256', token, 'hex');
