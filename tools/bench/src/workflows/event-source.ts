import type { EventContract } from '@posthorn/contracts';
import { openDatabase, type Database } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';
import { databaseOf } from '../databases.js';
import type { Servers } from '../product.js';

/** Puts events into the outbox of a service, whose relay sends them. */
export class EventSource {
  private readonly outbox: Outbox;

  private constructor(private readonly database: Database) {
    this.outbox = new Outbox(database);
  }

  static async open({ databaseUrl }: Servers, service: 'contacts' | 'sending'): Promise<EventSource> {
    const url = databaseOf(databaseUrl, service);
    return new EventSource(
      await openDatabase({ url, name: 'bench', poolSize: 2, entities: [], migrations: [] }),
    );
  }

  /** In one commit. A relay at rest sees them within ten seconds, or at the next event of its own service. */
  async publish<Item extends object>(
    event: EventContract<Item>,
    projectId: string,
    items: readonly Item[],
  ): Promise<void> {
    await this.database.transaction(() => this.outbox.publish(event, projectId, [...items]));
  }

  close(): Promise<void> {
    return this.database.close();
  }
}
