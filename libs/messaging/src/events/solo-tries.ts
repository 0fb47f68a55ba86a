import type { JsMsg } from '@nats-io/jetstream';
import { Logger } from '@nestjs/common';
import type { EventContract } from '@posthorn/contracts';
import type { WireEvent } from '../calls/frames.js';
import type { Inbox } from './inbox.repository.js';
import type { MessagingMetrics } from '../messaging.metrics.js';

const redeliveryMs = [1_000, 10_000, 60_000, 600_000];
const maxTries = 5;

export interface Timeouts {
  redeliveryMs?: readonly number[];
  ackWaitMs?: number;
  handlerMs?: number;
}

export interface SoloTriesOptions {
  inbox: Inbox;
  contract: EventContract;
  durable: string;
  timeouts?: Timeouts;
  messagingMetrics?: MessagingMetrics;
}

/** Attempts are counted in Postgres before they begin, not by JetStream: an event that could not be tried, because the database was away or a neighbour killed the process, loses none. */
export class SoloTries {
  private readonly log: Logger;
  private readonly running = new Set<Promise<void>>();
  private lastSuspect = Promise.resolve();

  constructor(
    private readonly options: SoloTriesOptions,
    private readonly apply: (event: WireEvent, message: JsMsg) => Promise<void>,
  ) {
    this.log = new Logger(`Events ${options.durable}`);
  }

  take(message: JsMsg, event: WireEvent): void {
    const work = this.choose(message, event).catch((error: Error) =>
      this.log.warn(`not attempted, will be redelivered: ${error.message}`),
    );
    this.running.add(work);
    void work.finally(() => this.running.delete(work));
  }

  async drained(): Promise<void> {
    await Promise.all(this.running);
  }

  /** An event whose last attempt never ended may have killed the process: such events run one by one. */
  private async choose(message: JsMsg, event: WireEvent): Promise<void> {
    const { inbox, durable } = this.options;
    const { running } = await inbox.triesOf(durable, event.id);
    if (!running) return this.try(message, event);
    const turn = this.lastSuspect.then(() => this.try(message, event));
    this.lastSuspect = turn.catch(() => undefined);
    return turn;
  }

  private async try(message: JsMsg, event: WireEvent): Promise<void> {
    const { inbox, durable } = this.options;
    const { tries } = await inbox.triesOf(durable, event.id);
    if (tries >= maxTries) return this.giveUp(message, event, 'its handler never finished');
    await inbox.beginTry(durable, event.id);
    try {
      await this.apply(event, message);
      message.ack();
    } catch (error) {
      this.options.messagingMetrics?.received.inc({ subscriber: durable, outcome: 'failed' });
      this.log.warn(`event ${event.id}, attempt ${tries + 1}: ${(error as Error).message}`);
      await inbox.endTry(durable, event.id);
      if (tries + 1 >= maxTries) await this.giveUp(message, event, (error as Error).message);
      else message.nak(this.waitAfter(tries + 1));
    }
  }

  private waitAfter(tries: number): number {
    const waits = this.options.timeouts?.redeliveryMs ?? redeliveryMs;
    return waits[Math.min(tries, waits.length) - 1]!;
  }

  private async giveUp(message: JsMsg, event: WireEvent, error: string): Promise<void> {
    const { inbox, durable, contract, messagingMetrics } = this.options;
    await inbox.storeDeadLetter({
      subscriber: durable,
      eventId: event.id,
      event: contract.name,
      payload: event,
      error,
    });
    messagingMetrics?.received.inc({ subscriber: durable, outcome: 'dead_letter' });
    message.term();
  }
}
