import type { JsMsg } from '@nats-io/jetstream';
import { Logger } from '@nestjs/common';
import type { FactContract } from '@posthorn/contracts';
import type { Patience } from './fact-subscription.js';
import type { WireFact } from './frames.js';
import type { Inbox } from './inbox.repository.js';
import type { MessagingMetrics } from './messaging.metrics.js';

/** Waits before each further try; after the last one the fact is a dead letter (guarantees.md §4, G18). */
const redeliveryMs = [1_000, 10_000, 60_000, 600_000];
const maxTries = 5;

export interface SoloTriesOptions {
  inbox: Inbox;
  contract: FactContract;
  durable: string;
  patience?: Patience;
  messagingMetrics?: MessagingMetrics;
}

/**
 * Facts that failed together, each by itself. Tries are counted in Postgres before they begin, and not by JetStream: a fact
 * that could not even be tried, with the database away or because its neighbour killed the process, has lost none.
 */
export class SoloTries {
  private readonly log: Logger;
  private readonly running = new Set<Promise<void>>();
  private suspects = Promise.resolve();

  constructor(
    private readonly options: SoloTriesOptions,
    private readonly apply: (fact: WireFact, message: JsMsg) => Promise<void>,
  ) {
    this.log = new Logger(`Facts ${options.durable}`);
  }

  take(message: JsMsg, fact: WireFact): void {
    const work = this.choose(message, fact).catch((error: Error) => this.log.warn(`not tried, comes again: ${error.message}`));
    this.running.add(work);
    void work.finally(() => this.running.delete(work));
  }

  async drained(): Promise<void> {
    await Promise.all(this.running);
  }

  /** A fact whose last try never ended may be what ended the process: such ones go one after another, so that only the next one is to blame. */
  private async choose(message: JsMsg, fact: WireFact): Promise<void> {
    const { inbox, durable } = this.options;
    const { running } = await inbox.triesOf(durable, fact.id);
    if (!running) return this.try(message, fact);
    const turn = this.suspects.then(() => this.try(message, fact));
    this.suspects = turn.catch(() => undefined);
    return turn;
  }

  private async try(message: JsMsg, fact: WireFact): Promise<void> {
    const { inbox, durable } = this.options;
    const { tries } = await inbox.triesOf(durable, fact.id);
    if (tries >= maxTries) return this.bury(message, fact, 'its handler never finished');
    await inbox.beginTry(durable, fact.id);
    try {
      await this.apply(fact, message);
      message.ack();
    } catch (error) {
      this.options.messagingMetrics?.heard.inc({ subscriber: durable, outcome: 'failed' });
      this.log.warn(`fact ${fact.id}, try ${tries + 1}: ${(error as Error).message}`);
      await inbox.endTry(durable, fact.id);
      if (tries + 1 >= maxTries) await this.bury(message, fact, (error as Error).message);
      else message.nak(this.waitAfter(tries + 1));
    }
  }

  private waitAfter(tries: number): number {
    const waits = this.options.patience?.redeliveryMs ?? redeliveryMs;
    return waits[Math.min(tries, waits.length) - 1]!;
  }

  private async bury(message: JsMsg, fact: WireFact, error: string): Promise<void> {
    const { inbox, durable, contract, messagingMetrics } = this.options;
    await inbox.bury({ subscriber: durable, factId: fact.id, fact: contract.name, payload: fact, error });
    messagingMetrics?.heard.inc({ subscriber: durable, outcome: 'buried' });
    message.term();
  }
}
