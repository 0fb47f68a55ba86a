import { createHash, timingSafeEqual } from 'node:crypto';
import type { HookRequest } from '../provider-hook.js';

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();

export function carriesSecret({ headers }: HookRequest, secret: string): boolean {
  const { authorization = '', 'x-webhook-secret': own } = headers;
  const [, scheme = '', credentials = ''] = /^(\S+) +(.*)$/.exec(authorization) ?? [];
  const given =
    typeof own === 'string'
      ? own
      : /^bearer$/i.test(scheme)
        ? credentials
        : /^basic$/i.test(scheme)
          ? Buffer.from(credentials, 'base64')
              .toString('utf8')
              .replace(/^[^:]*:/, '')
          : null;
  return given !== null && timingSafeEqual(hash(given), hash(secret));
}
