import { Injectable } from '@nestjs/common';
import { simulatorDomain } from '@posthorn/contracts';
import type { Attempt } from '@posthorn/mail';
import { Gatherer } from '@posthorn/messaging';
import { WorkQueue } from '@posthorn/work';
import { SendingConfig } from '../config.js';
import { simulatedAddress } from './simulated-address.js';
import { simulatedDelaysMs, simulatedEvents, type SimulatedMessage } from './simulated-events.js';
import { simulatedEventWork } from './simulated-event-kind.js';

export interface ToSimulate extends SimulatedMessage {
  projectId: string;
  from: { email: string };
}

const maxGathered = 100;

/** Takes mail to the simulator in place of a mail server, and reports on it shortly afterwards as a provider would. */
@Injectable()
export class Simulator {
  private readonly gatherer = new Gatherer<ToSimulate, void>({
    flush: (messages) => this.enqueue(messages),
    maxItems: maxGathered,
  });

  constructor(
    private readonly queue: WorkQueue,
    private readonly config: SendingConfig,
  ) {}

  /** Nothing of this domain ever leaves the machine, whether or not it is simulated. */
  isFor(recipient: string): boolean {
    return recipient.endsWith(`@${simulatorDomain}`);
  }

  refusalOf({ recipient, from }: Pick<ToSimulate, 'recipient' | 'from'>): string | null {
    if (!simulatedAddress(recipient)) return `${recipient} is no address of the simulator`;
    const isTest = from.email.endsWith(`@${this.config.sandboxDomain}`);
    return this.config.simulator || isTest
      ? null
      : 'The simulator takes only mail of TEST keys here; SIMULATOR=true lets it take all';
  }

  /** The reports are queued first: a crash in between leaves an unknown outcome, which they then settle. */
  async deliver(message: ToSimulate): Promise<Attempt> {
    const began = performance.now();
    const failed = await this.gatherer.submit(message).then(
      () => null,
      (error: Error) => error.message,
    );
    return {
      // As if the connection had been lost before the message: it is tried again.
      ...(failed === null
        ? { verdict: 'accepted', stage: 'dot', reply: { code: 250, text: 'simulated' } }
        : { verdict: 'no_reply', stage: 'data', error: failed }),
      host: simulatorDomain,
      tls: false,
      durationMs: performance.now() - began,
      sessionUsable: true,
    };
  }

  private async enqueue(messages: ToSimulate[]): Promise<[]> {
    const items = messages.flatMap(({ projectId, emailId, position, recipient }) =>
      simulatedEvents({ emailId, position, recipient }).map((event, index) => ({
        projectId,
        key: `${emailId} ${position} ${index}`,
        payload: event,
        delayMs: simulatedDelaysMs[index]!,
      })),
    );
    await this.queue.enqueue(simulatedEventWork, items);
    return [];
  }
}
