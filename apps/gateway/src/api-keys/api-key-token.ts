import type { GrantPreset } from '@posthorn/contracts';
import { hasValidChecksum, mintChecked, tokenBody } from '../identity/checked-token.js';

export type KeyMode = 'LIVE' | 'TEST';

const kinds: Record<GrantPreset, string> = { FULL: 'sk', SENDING_ONLY: 'pk' };
const pattern = new RegExp(`^[sp]k_(?:live|test)_${tokenBody}$`);

export const mintToken = (preset: GrantPreset, mode: KeyMode): string =>
  mintChecked(`${kinds[preset]}_${mode.toLowerCase()}_`);

export const isWellFormedToken = (token: string): boolean => pattern.test(token) && hasValidChecksum(token);

export const lastFourOf = (token: string): string => token.slice(-4);
