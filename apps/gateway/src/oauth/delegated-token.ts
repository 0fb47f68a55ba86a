import { isWhole, mintChecked, tokenBody } from '../identity/checked-token.js';

const prefixes = { access: 'oat_', refresh: 'ort_', clientSecret: 'ocs_' } as const;
const pattern = new RegExp(`^${prefixes.access}${tokenBody}$`);

export const mintDelegatedToken = (kind: keyof typeof prefixes): string => mintChecked(prefixes[kind]);

/** Whether this may be an access token at all; a refresh token opens no route. */
export const isDelegatedToken = (token: string): boolean => pattern.test(token) && isWhole(token);
