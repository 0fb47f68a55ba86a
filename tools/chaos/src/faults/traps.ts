import type pg from 'pg';
import type { State } from './faults.js';
import { heldAt, until, watching, type Caught, type Lock } from './lock-trap.js';

/** An e-mail at the mail server, since when in milliseconds of 1970. */
export interface Taken {
  emailId: string;
  receivedAt: number;
}

/** States that last no time are held open by a lock that their next statement waits for. */
const locks: Partial<Record<State, Lock>> = {
  'accept transaction': { table: 'email_contents', statement: '%INSERT INTO emails (%' },
  // Postgres shows the first kilobyte of a statement.
  'final write': { table: 'email_events', statement: '%record-outcomes%' },
  'relay between publish and mark': { table: 'outbox', statement: '%UPDATE outbox SET published_at%' },
};

/** So long the mail server keeps slow ones waiting: at DATA, or for its answer. */
const lateMs = 700;
/** What is answered before the strike lands was missed. */
const injectMs = 200;

/** Waits for a process to be in a state, and keeps it there while `strike` runs. Returns null when none came in time. */
export class Traps {
  constructor(
    private readonly sendingUrl: () => string,
    /** What the mail server has written down, when. */
    private readonly atSink: () => readonly Taken[],
  ) {}

  async at(
    state: State,
    timeoutMs: number,
    inject: (caught: Caught) => Promise<void>,
  ): Promise<Caught | null> {
    const lock = locks[state];
    return lock ? heldAt(() => this.connect(), lock, timeoutMs, inject) : this.seen(state, timeoutMs, inject);
  }

  private async seen(
    state: State,
    timeoutMs: number,
    inject: (caught: Caught) => Promise<void>,
  ): Promise<Caught | null> {
    const watcher = await this.connect();
    try {
      const caught = await until(timeoutMs, async () => {
        const { rows } = await watcher.query<{ id: string }>(seenSql[state]!);
        const ids = this.really(
          state,
          rows.map(({ id }) => id),
        );
        return ids.length === 0 ? null : { pid: null };
      });
      if (caught) await inject(caught);
      return caught;
    } finally {
      await watcher.end().catch(() => undefined);
    }
  }

  /** Before or after the last byte is what the mail server knows, whatever the row says. */
  private really(state: State, ids: string[]): string[] {
    if (state === 'CLAIMED' || ids.length === 0) return ids;
    const after = state === 'HANDOFF after the last byte';
    const since = after ? Date.now() - (lateMs - injectMs) : 0;
    const taken = new Set(
      this.atSink().flatMap(({ emailId, receivedAt }) => (receivedAt > since ? [emailId] : [])),
    );
    return ids.filter((id) => taken.has(id) === after);
  }

  private connect(): Promise<pg.Client> {
    return watching(this.sendingUrl());
  }
}

const heldByOther = `EXISTS (SELECT 1 FROM workers w WHERE w.id = worker_id AND w.expires_at > now())`;
const slow = (name: string, states: string) =>
  `SELECT email_id AS id FROM deliveries WHERE state IN (${states}) AND recipient LIKE '${name}-${lateMs}+%' AND ${heldByOther}`;

const seenSql: Partial<Record<State, string>> = {
  CLAIMED: `SELECT email_id AS id FROM deliveries WHERE state = 'CLAIMED' AND ${heldByOther}`,
  'HANDOFF before the last byte': slow('late-at-data', `'HANDOFF'`),
  'HANDOFF after the last byte': slow('late-at-accept', `'CLAIMED', 'HANDOFF'`),
};
