import { Injectable } from '@nestjs/common';
import { simulatorDomain, type ProviderEvent } from '@posthorn/contracts';
import type { Attempt } from '@posthorn/mail';
import { Gatherer } from '@posthorn/messaging';
import { WorkQueue, work, WorkRunner, type WorkBatch, type WorkHandler } from '@posthorn/work';
import { SendingConfig } from '../config.js';
import { simulatedAddress, type Simulation } from './simulated-address.js';
import { ProviderEventsService } from '../provider-events/provider-events.service.js';

export const simulatedEventWork = work<ProviderEvent>('sending.simulated-events', {
  batch: 100,
  mixed: true,
  retry: { attempts: 10, firstMs: 500, maxMs: 60_000 },
});

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

/** The intake counts an event once, so that it may be reported again after a crash. */
@Injectable()
export class SimulatedEventsWork implements WorkHandler<ProviderEvent> {
  constructor(
    private readonly events: ProviderEventsService,
    runner: WorkRunner,
  ) {
    runner.register(simulatedEventWork, this);
  }

  async run({ items }: WorkBatch<ProviderEvent>): Promise<void> {
    await this.events.record({ items: items.map(({ payload }) => payload) });
  }
}

interface SimulatedMessage {
  emailId: string;
  position: number;
  recipient: string;
}

type Told = Pick<ProviderEvent, 'kind' | 'detail' | 'statusCode' | 'replyCode'>;

/** Once delivered, or not; then what the reader does. */
const simulatedDelaysMs = [300, 900] as const;

const mailboxFull: Told = {
  kind: 'SOFT_BOUNCED',
  detail: '452 4.2.2 The mailbox is full (simulated)',
  statusCode: '4.2.2',
  replyCode: 452,
};

const told: Record<Simulation, readonly Told[]> = {
  success: [{ kind: 'DELIVERED' }],
  bounce: [
    { kind: 'BOUNCED', detail: '550 5.1.1 User unknown (simulated)', statusCode: '5.1.1', replyCode: 550 },
  ],
  softbounce: [mailboxFull],
  complaint: [{ kind: 'DELIVERED' }, { kind: 'COMPLAINED', detail: 'abuse (simulated)' }],
  delay: [
    {
      kind: 'DELAYED',
      detail: '451 4.4.1 The server does not answer (simulated)',
      statusCode: '4.4.1',
      replyCode: 451,
    },
  ],
  reject: [{ kind: 'REJECTED', detail: 'The message contains a virus (simulated)' }],
};

function simulatedEvents({ emailId, position, recipient }: SimulatedMessage): ProviderEvent[] {
  const address = simulatedAddress(recipient);
  if (!address) return [];
  return told[address.simulation].map((event) => ({
    source: 'simulator',
    eventId: emailId,
    emailId,
    position,
    suppresses: address.tagged,
    ...event,
  }));
}
