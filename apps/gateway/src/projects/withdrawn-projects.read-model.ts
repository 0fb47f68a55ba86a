import { Injectable } from '@nestjs/common';
import { DomainError } from '@posthorn/contracts';
import { Database } from '@posthorn/database';

const maxAgeMs = 500;
/** Links of mails work without the database, too. */
const maxWaitMs = 250;

export const withdrawn = () =>
  new DomainError('gone', 'resource_not_found', 'What this link led to was withdrawn');

/** Whose public pages and tracked links lead nowhere any more; people can still unsubscribe. */
@Injectable()
export class WithdrawnProjects {
  private ids: ReadonlySet<string> = new Set();
  private readAt = -Infinity;
  private reading: Promise<void> | null = null;

  constructor(private readonly database: Database) {}

  /** As it was half a second ago at most. Without an answer of the database what it said last counts. */
  async has(projectId: string): Promise<boolean> {
    if (performance.now() - this.readAt > maxAgeMs) await this.soon(this.read());
    return this.ids.has(projectId);
  }

  private read(): Promise<void> {
    this.reading ??= this.database
      .query<{ id: string }>(`SELECT id FROM projects WHERE disabled_reason = 'PHISHING_DETECTED'`)
      .then(
        (rows) => void (this.ids = new Set(rows.map(({ id }) => id))),
        () => undefined,
      )
      .finally(() => {
        this.readAt = performance.now();
        this.reading = null;
      });
    return this.reading;
  }

  private async soon(reading: Promise<void>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, maxWaitMs)));
    await Promise.race([reading, late]);
    clearTimeout(timer);
  }
}
