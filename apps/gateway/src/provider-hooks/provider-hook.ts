import type { IncomingHttpHeaders } from 'node:http';
import type { ProviderEvent } from '@posthorn/contracts';

export interface HookRequest {
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

/** How one provider reports by HTTP. */
export interface ProviderHook {
  /** Whether the operator has set up what its reports are verified with. */
  isEnabled(): boolean;
  /** Verifies the report and reads its events; a forged one is refused with `forbidden`. */
  read(request: HookRequest): Promise<ProviderEvent[]>;
}
