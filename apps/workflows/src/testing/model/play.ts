import { newId, type Database } from '@posthorn/database';
import { eventually, type ServiceFixture } from '@posthorn/testing';
import { executionWork, type Arrival, textWork } from '../../work-kinds.js';
import type { Occurrences } from '../../starts/occurrences.subscribers.js';
import { attemptOf, verdictOfStepAttempt, type DueCall } from '../../webhooks/calls/call-attempts.js';
import { CallsRepository } from '../../webhooks/calls/calls.repository.js';
import { buildOccurrences, buildStarts } from './engine.js';
import { stepOfId, type Installed } from './installed.js';
import { maxWaits } from './model.js';
import type { Outside } from './outside.js';
import type { Random } from './random.js';
import { ofVisit, type ModelArrival, type ModelPerson, type Scenario } from './scenario.js';

/** A person in a workflow, while the engine has the execution. */
export interface Played {
  id: string;
  contactId: string;
  scenario: Scenario;
  person: ModelPerson;
  /** Waits, by step and visit, whose events have been there. */
  visited: Set<string>;
  /** How long it would have waited, in milliseconds, where that does not depend on the hour. */
  spans: number[];
}

interface OpenRow {
  id: string;
  wait: 'TIME' | 'EVENT' | 'WEBHOOK' | null;
  stepId: string;
  visits: Record<string, number>;
  enteredAt: Date;
  dueAt: Date;
  /** Of its wait for an event. */
  since: Date | null;
}

const maxRounds = 150;

/** Moves executions on: time passes, events come and webhooks answer, until nothing is left to happen. */
export class Play {
  readonly played = new Map<string, Played>();
  private readonly occurrences: Occurrences;
  private readonly calls: CallsRepository;
  private readonly database: Database;
  private readonly pending = new Set<Promise<void>>();

  constructor(
    private readonly fixture: ServiceFixture,
    private readonly projectId: string,
    private readonly outside: Outside,
    private readonly random: Random,
  ) {
    this.database = fixture.database;
    this.occurrences = buildOccurrences(fixture);
    this.calls = new CallsRepository(fixture.database);
    outside.onAccepted = (executionId, subject) => this.cause(executionId, subject);
  }

  async start(installed: readonly Installed[]): Promise<void> {
    const starts = buildStarts(this.fixture);
    await this.database.transaction(async () => {
      for (const { workflowId, scenario } of installed)
        for (const person of scenario.people) {
          const contactId = this.addContact(person);
          const event = person.event && this.occurred(person.event);
          const started = await starts.start(this.projectId, workflowId, [{ contactId, event }], {
            context: person.context,
          });
          const { id } = started!.ids[0]!;
          this.played.set(id, { id, contactId, scenario, person, visited: new Set(), spans: [] });
        }
    });
  }

  /** `whenQuiet` hears the number of each round. */
  async toTheEnd(whenQuiet: (round: number) => void = () => undefined): Promise<void> {
    for (let round = 1; round <= maxRounds; round += 1) {
      await this.quiet();
      whenQuiet(round);
      if (!(await this.round())) return;
    }
    throw new Error(`something goes on after ${maxRounds} rounds`);
  }

  /** False where nothing is left to happen. */
  private async round(): Promise<boolean> {
    const open = await this.openRows();
    const lost = open.filter(({ wait }) => wait === null).map(({ id }) => id);
    if (lost.length > 0) throw new Error(`nobody goes on with ${await this.described(lost)}`);
    const going = open.filter((row) => row.wait === 'WEBHOOK' || this.mayPass(row));
    const awaiting = going.filter((row) => row.wait === 'EVENT' && this.isNew(row));
    await this.answer(going.filter(({ wait }) => wait === 'WEBHOOK'));
    await this.arrive(awaiting);
    await this.pass(going.filter((row) => row.wait !== 'WEBHOOK' && !awaiting.includes(row)));
    await this.wakeForNothing(open);
    return going.length > 0;
  }

  private openRows(): Promise<OpenRow[]> {
    return this.database.query<OpenRow>(
      `SELECT id, wait, current_step_id AS "stepId", visits, entered_at AS "enteredAt", due_at AS "dueAt",
         (SELECT since FROM execution_waits w WHERE w.project_id = $1 AND w.execution_id = e.id) AS since
       FROM executions e WHERE project_id = $1 AND id = ANY ($2::uuid[]) AND ended_at IS NULL ORDER BY id`,
      [this.projectId, [...this.played.keys()]],
    );
  }

  private async described(ids: readonly string[]): Promise<string> {
    const items = await this.database.query(
      `SELECT key, state, due_at, failures, error FROM work_items WHERE kind = $1 AND key = ANY ($2::text[])`,
      [executionWork.name, ids],
    );
    return JSON.stringify({ seeds: ids.map((id) => this.played.get(id)!.scenario.seed), ids, items });
  }

  /** Everything that can be done is done, by workers that may be away for a while. */
  private async quiet(): Promise<void> {
    await eventually(
      async () => {
        await Promise.all(this.pending);
        const [row] = await this.database.query<{ items: number }>(
          `WITH sooner AS (
             UPDATE work_items i SET due_at = now(), state = 'READY' FROM executions e
             WHERE i.kind = $1 AND i.state = 'WAITING' AND e.project_id = i.project_id AND e.id::text = i.key AND (e.due_at <= now() OR i.failures > 0
               OR e.wait = 'WEBHOOK' AND NOT EXISTS (SELECT FROM call_requests r JOIN calls c USING (project_id, id) WHERE project_id = e.project_id AND r.execution_id = e.id AND c.status = 'PENDING'))
             RETURNING i.id),
           rendered AS (UPDATE work_items SET due_at = now(), state = 'READY' WHERE kind = $2 AND state = 'WAITING' RETURNING id)
           SELECT (SELECT count(*) FROM sooner)::int + (SELECT count(*) FROM rendered)::int
             + (SELECT count(*) FROM work_items WHERE kind IN ($1, $2) AND state IN ('READY', 'CLAIMED', 'SUSPECT'))::int AS items`,
          [executionWork.name, textWork.name],
        );
        if (row!.items > 0) this.fixture.queue.wakeAfterCommit();
        return row!.items === 0 && this.pending.size === 0;
      },
      'all executions wait or have ended',
      120_000,
    );
  }

  private mayPass({ id, visits }: OpenRow): boolean {
    const { steps } = this.played.get(id)!.scenario;
    const waits = Object.entries(visits).flatMap(([stepId, count]) => {
      const { type } = stepOfId({ steps } as Scenario, stepId);
      return type === 'DELAY' || type === 'WAIT_FOR_EVENT' ? [count] : [];
    });
    return waits.reduce((sum, count) => sum + count, 0) <= maxWaits;
  }

  private isNew({ id, stepId, visits }: OpenRow): boolean {
    const { visited } = this.played.get(id)!;
    const key = `${stepId} ${visits[stepId]}`;
    return !visited.has(key) && visited.add(key) !== undefined;
  }

  /** In their order; of each wait one event at a time, now and then twice. */
  private async arrive(waiting: readonly OpenRow[]): Promise<void> {
    const arrivals = waiting.map((row) => ({ row, list: this.arrivalsAt(row) }));
    const most = Math.max(0, ...arrivals.map(({ list }) => list.length));
    for (let index = 0; index < most; index += 1) {
      const batch = arrivals.flatMap(({ row, list }) =>
        list[index] ? [this.arrivalOf(row, list[index])] : [],
      );
      const ofOthers = batch.slice(0, 5).map((arrival) => ({ ...arrival, id: newId(), contactId: newId() }));
      await this.publish([...batch, ...ofOthers]);
      if (this.random.chance(0.3)) await this.publish(batch);
    }
  }

  private arrivalsAt({ id, stepId, visits }: OpenRow): ModelArrival[] {
    const { scenario, person } = this.played.get(id)!;
    const { name, config } = stepOfId(scenario, stepId);
    const arrivals = ofVisit(person.arrivals[name]!, visits[stepId]!);
    const met = arrivals.findIndex((each) => each.name === config.eventName && each.instant !== 'before');
    // What came after the end of the wait would count for the next one.
    return arrivals.map((each, index) => (met !== -1 && index > met ? { ...each, instant: 'before' } : each));
  }

  private arrivalOf({ id, since }: OpenRow, { name, instant, data, isCustom }: ModelArrival): Arrival {
    const { contactId, person } = this.played.get(id)!;
    const began = since!.getTime();
    // What a mail caused happened before, and would count for a later wait otherwise.
    const isCausing = Object.values(person.caused).some((each) => each.some((caused) => caused !== null));
    const soonest = isCausing ? Date.now() : began;
    const at = { before: began - 1 - this.random.below(1_000), at: soonest, after: Date.now() }[instant];
    return { ...this.occurred({ name, data, isCustom }), contactId, at: new Date(at) };
  }

  private publish(arrivals: readonly Arrival[], heldMs = 0): Promise<void> {
    return this.database.transaction(async () => {
      await this.occurrences.apply(this.projectId, arrivals);
      if (heldMs > 0) await new Promise((done) => setTimeout(done, heldMs));
    });
  }

  /** What somebody does with a mail before it is known that it was sent. */
  private async cause(executionId: string, subject: string): Promise<void> {
    const { contactId, person } = this.played.get(executionId)!;
    const [step] = subject.split(' ');
    const sent = this.outside.mails
      .get(executionId)!
      .filter((mail) => mail.subject.startsWith(`${step} `)).length;
    const caused = person.caused[step!]![sent - 1];
    if (!caused) return;
    const arrival = { id: newId(), name: caused.name, data: caused.data, contactId, at: new Date() };
    if (!caused.isConcurrent) return this.publish([arrival]);
    const published = new Promise((soon) => setTimeout(soon, this.random.below(12))).then(() =>
      this.publish([arrival], this.random.below(12)),
    );
    this.pending.add(published);
    void published.finally(() => this.pending.delete(published));
  }

  private async answer(calling: readonly OpenRow[]): Promise<void> {
    if (calling.length === 0) return;
    const pending = await this.database.query<DueCall & { executionId: string }>(
      `SELECT c.id, c.request_id AS "requestId", r.execution_id AS "executionId", c.attempts, 0 AS retries, 0 AS claims
       FROM call_requests r JOIN calls c USING (project_id, id)
       WHERE r.project_id = $1 AND r.execution_id = ANY ($2::uuid[]) AND c.status = 'PENDING'`,
      [this.projectId, calling.map(({ id }) => id)],
    );
    const rows = new Map(calling.map((row) => [row.id, row]));
    const attempts = pending.map(({ executionId, ...call }) => {
      const { stepId, visits } = rows.get(executionId)!;
      const { scenario, person } = this.played.get(executionId)!;
      const { status, body } = ofVisit(person.hooks[stepOfId(scenario, stepId).name]!, visits[stepId]!);
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const result = { kind: 'response' as const, status, body: text, retryAfter: null, durationMs: 1 };
      const judged = { verdict: verdictOfStepAttempt(result, 1), isFault: false, maxResponse: 1_000 };
      return attemptOf(call, result, judged);
    });
    await this.database.transaction(async () => {
      const ended = new Set(await this.calls.record(this.projectId, attempts));
      await this.wake(pending.filter(({ id }) => ended.has(id)).map(({ executionId }) => executionId));
    });
  }

  private async pass(rows: readonly OpenRow[]): Promise<void> {
    for (const { id, stepId, enteredAt, dueAt } of rows) {
      const { scenario, spans } = this.played.get(id)!;
      const { until } = stepOfId(scenario, stepId).config;
      if (until === undefined) spans.push(dueAt.getTime() - enteredAt.getTime());
    }
    const ids = rows.map(({ id }) => id);
    await this.database.transaction(async () => {
      await this.database.query(
        `UPDATE executions SET due_at = now() WHERE project_id = $1 AND id = ANY ($2::uuid[])`,
        [this.projectId, ids],
      );
      await this.wake(ids);
    });
  }

  private wakeForNothing(open: readonly OpenRow[]): Promise<void> {
    return this.wake(open.filter(() => this.random.chance(0.05)).map(({ id }) => id));
  }

  private wake(ids: readonly string[]): Promise<void> {
    return this.fixture.queue.enqueue(
      executionWork,
      ids.map((key) => ({ projectId: this.projectId, key })),
    );
  }

  private occurred({
    name,
    data,
    isCustom,
  }: {
    name: string;
    data: Record<string, unknown>;
    isCustom: boolean;
  }) {
    const id = newId();
    if (isCustom) this.outside.eventData.set(id, data);
    return { id, name, data: isCustom ? null : data };
  }

  private addContact({ email, subscribed, fields }: ModelPerson): string {
    const id = newId();
    const at = new Date();
    const contact = { id, projectId: this.projectId, email, subscribed, customFields: { ...fields } };
    this.outside.people.set(id, { ...contact, createdAt: at, updatedAt: at });
    return id;
  }
}
