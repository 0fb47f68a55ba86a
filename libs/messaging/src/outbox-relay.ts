import { jetstream, type JetStreamClient } from '@nats-io/jetstream';
import { Logger } from '@nestjs/common';
import { factCatalogue, type ServiceName } from '@posthorn/contracts';
import type { BusConnection } from './connection.js';
import { ensureStream, factSubject } from './fact-stream.js';
import { encode } from './frames.js';
import { Loop } from './loop.js';
import type { Outbox, UnpublishedFact } from './outbox.repository.js';

const batch = 256;
/** Nobody waits for a fact: gathered for a moment, a hundred of them cost the statements of one. */
const restMs = 50;

/** Carries committed facts to JetStream; the row's id is the dedupe id, so that a repeat after a crash is one fact. */
export class OutboxRelay {
  private readonly log = new Logger('Relay');
  private readonly loop: Loop;
  private stream: JetStreamClient | null = null;

  constructor(
    private readonly service: ServiceName,
    private readonly outbox: Outbox,
    private readonly connection: BusConnection,
  ) {
    this.loop = new Loop({ everyMs: 1_000, restMs, work: () => this.run(), onError: (error) => this.failed(error) });
    outbox.onRing(() => this.loop.ring());
  }

  start(): void {
    this.loop.start();
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }

  private async run(): Promise<void> {
    if (!this.connection.connected) return;
    this.stream ??= await this.open();
    const stream = this.stream;
    const count = await this.outbox.relay(batch, async (facts) => {
      await Promise.all(facts.map((fact) => this.publish(stream, fact)));
    });
    if (count === batch) this.loop.ring();
  }

  private async open(): Promise<JetStreamClient> {
    await ensureStream(this.connection.nats, this.service);
    return jetstream(this.connection.nats, { timeout: 5_000 });
  }

  private async publish(stream: JetStreamClient, { id, projectId, fact, items, createdAt }: UnpublishedFact): Promise<void> {
    const version = factCatalogue.find(({ name }) => name === fact)?.version ?? 1;
    const payload = JSON.stringify({ id, fact, version, projectId, at: createdAt, items });
    await stream.publish(factSubject(fact), encode(payload), { msgID: id });
  }

  private failed(error: unknown): void {
    this.stream = null;
    this.log.warn(`facts wait in the outbox: ${(error as Error).message}`);
  }
}
