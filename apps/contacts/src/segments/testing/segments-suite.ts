import { contacts, segments, type Caller, type CreateSegment, type Segment } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import type { Bus } from '@posthorn/messaging';
import type { WorkQueue } from '@posthorn/work';
import { eventually } from '@posthorn/testing';
import { segmentUpkeepWork } from '../segment-kinds.js';
import { SegmentDirtyRepository } from '../segment-dirty.repository.js';
import { SegmentsRepository } from '../segments.repository.js';

type Given = [field: string, operator: string, value?: unknown, unit?: string];

/** A condition of one group. */
export const all = (...filters: Given[]): Record<string, unknown> => ({
  logic: 'AND',
  groups: [{ filters: filters.map(([field, operator, value, unit]) => ({ field, operator, ...(value === undefined ? {} : { value }), ...(unit ? { unit } : {}) })) }],
}); // prettier-ignore

export const plan = (name: string): Record<string, unknown> => all(['customFields.plan', 'equals', name]);

interface Fixture {
  bus: Bus;
  database: Database;
  queue: WorkQueue;
}

let count = 0;

/** The segments of one project. */
export class SegmentsOf {
  constructor(
    private readonly fixture: Fixture,
    readonly caller: Caller,
    readonly projectId: string,
  ) {}

  build(overrides: Partial<CreateSegment> = {}): Promise<Segment> {
    const made = {
      name: `Segment ${(count += 1)}`,
      type: 'DYNAMIC' as const,
      condition: plan('pro'),
      ...overrides,
    };
    return this.fixture.bus.call(
      segments.create,
      this.caller,
      made.type === 'STATIC' ? { ...made, condition: undefined } : made,
    );
  }

  get(id: string): Promise<Segment> {
    return this.fixture.bus.call(segments.get, this.caller, { id });
  }

  /** Creates a contact and has its segments evaluated. */
  async contact(email: string, customFields: Record<string, unknown> = {}): Promise<string> {
    const { id } = await this.fixture.bus.call(contacts.upsert, this.caller, { email, customFields });
    await this.touch(id);
    return id;
  }

  async touch(...ids: string[]): Promise<void> {
    const { projectId } = this;
    await new SegmentDirtyRepository(this.fixture.database).mark(
      ids.map((contactId) => ({ projectId, contactId })),
    );
    this.fixture.queue.wakeAfterCommit();
  }

  async members(id: string): Promise<string[]> {
    const { items } = await this.fixture.bus.call(segments.contacts, this.caller, { id, limit: 100 });
    return items.map(({ email }) => email).sort();
  }

  /** No contact waits for evaluation any more. */
  async settled(): Promise<void> {
    await eventually(async () => {
      const [row] = await this.fixture.database.query<{ waiting: boolean }>(
        `SELECT EXISTS (SELECT FROM segment_dirty WHERE project_id = $1)
           OR EXISTS (SELECT FROM segment_due WHERE project_id = $1 AND due_at <= clock_timestamp()) AS waiting`,
        [this.projectId],
      );
      return !row!.waiting;
    }, 'everybody is looked at');
  }

  /** Moves all instants back, as if so much time had passed. */
  async age(by: string): Promise<void> {
    const { database } = this.fixture;
    await database.transaction(async () => {
      // A concurrent evaluation would write an instant from before.
      await new SegmentsRepository(database, this.fixture.queue).lockProject(this.projectId);
      for (const [table, columns] of Object.entries(instants)) {
        const back = columns.map((column) => `${column} = ${column} - $2::interval`).join(', ');
        await database.query(`UPDATE ${table} SET ${back} WHERE project_id = $1`, [this.projectId, by]);
      }
      await this.fixture.queue.enqueue(segmentUpkeepWork, [{ projectId: this.projectId }]);
    });
  }
}

const instants = {
  contacts: ['created_at', 'updated_at'],
  event_summaries: ['first_at', 'last_at'],
  mail_summaries: ['first_at', 'last_at'],
  segment_due: ['due_at'],
};
