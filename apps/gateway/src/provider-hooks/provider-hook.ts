import type { IncomingHttpHeaders } from 'node:http';
import type { ProviderEvent } from '@posthorn/contracts';

export interface HookRequest {
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

export interface ProviderHook {
  isEnabled(): boolean;
  /** Verifies the report and reads its events; a forged one is refused with `forbidden`. */
  read(request: HookRequest): Promise<ProviderEvent[]>;
}
