import { hasValidChecksum, mintChecked, tokenBody } from '../identity/checked-token.js';

const prefixes = { access: 'oat_', refresh: 'ort_', clientSecret: 'ocs_' } as const;
const pattern = new RegExp(`^${prefixes.access}${tokenBody}$`);

export const mintDelegatedToken = (kind: keyof typeof prefixes): string => mintChecked(prefixes[kind]);

/** Whether the text has the form of an access token; refresh tokens are not accepted by routes. */
export const isDelegatedToken = (token: string): boolean => pattern.test(token) && hasValidChecksum(token);
