import type { ProviderEvent } from '@posthorn/contracts';
import { work } from '@posthorn/work';

export const simulatedEventWork = work<ProviderEvent>('sending.simulated-events', {
  batch: 100,
  mixed: true,
  retry: { attempts: 10, firstMs: 500, maxMs: 60_000 },
});
