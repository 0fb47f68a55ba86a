import type { IncomingHttpHeaders } from 'node:http';
import { createHash, timingSafeEqual } from 'node:crypto';
import { type ProviderEvent, DomainError } from '@posthorn/contracts';

export interface HookRequest {
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

export interface ProviderHook {
  isEnabled(): boolean;
  /** Verifies the report and reads its events; a forged one is refused with `forbidden`. */
  read(request: HookRequest): Promise<ProviderEvent[]>;
}

export const forged = () =>
  new DomainError('forbidden', 'scope_missing', 'The signature or secret of the report is wrong');
export const tooOld = () =>
  new DomainError('forbidden', 'scope_missing', 'The report was signed too long ago');

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
