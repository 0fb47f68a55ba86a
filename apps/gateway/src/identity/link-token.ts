import { randomBytes } from 'node:crypto';

export const mintLinkToken = (): string => randomBytes(32).toString('base64url');
