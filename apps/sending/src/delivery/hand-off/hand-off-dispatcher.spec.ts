import { EventEmitter, once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import type { SendingConfig } from '../../config.js';
import type { Lease } from '../claiming/lease.js';
import type { ReadyMessages } from '../claiming/ready-messages.js';
import type { OutcomeRecorder } from '../outcomes/outcome-recorder.js';
import type { HandOffMarks } from './hand-off-marks.repository.js';
import { HandOffDispatcher } from './hand-off-dispatcher.js';
import type { Provider } from './provider.js';

/** A buffer, as the dispatcher sees it. */
class Buffer extends EventEmitter {
  size = 1;
  ready = (): void => undefined;

  start(onReady: () => void): void {
    this.ready = onReady;
  }

  setClaimingEnabled(enabled: boolean): void {
    this.emit(enabled ? 'enabled' : 'disabled');
  }

  async stop(): Promise<void> {}
}

describe('the dispatcher', () => {
  it('enables claiming after a pause of the mail server, also where the buffer was emptied meanwhile', async () => {
    const buffer = new Buffer();
    const provider = { pauseMs: 20, allowsOneConnection: false, close: async () => undefined };
    const dispatcher = new HandOffDispatcher(
      buffer as unknown as ReadyMessages,
      {} as HandOffMarks,
      provider as unknown as Provider,
      { waiting: 0, drained: async () => undefined } as unknown as OutcomeRecorder,
      { start: () => undefined, stop: async () => undefined } as unknown as Lease,
      { deliveryPaused: false, connections: 4, ratePerSecond: 0 } as SendingConfig,
    );
    dispatcher.onApplicationBootstrap();
    const disabled = once(buffer, 'disabled');
    buffer.ready();
    await disabled;
    const enabled = once(buffer, 'enabled');
    buffer.size = 0;
    provider.pauseMs = 0;
    expect(await enabled).toEqual([]);
    await dispatcher.beforeApplicationShutdown();
  }, 60_000);
});
