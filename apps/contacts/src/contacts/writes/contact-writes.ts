import { isNativeError } from 'node:util/types';
import { Injectable } from '@nestjs/common';
import { contactEvents, DomainError, outcomeUnknown, unavailable } from '@posthorn/contracts';
import { DatabaseClock, isLockTimeout, isOutcomeUnknown } from '@posthorn/database';
import { bisect, Outbox } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import {
  earliestOf,
  folded,
  inOrder,
  keyOf,
  refused,
  type ContactWrite,
  type WrittenContact,
} from './contact-write.js';
import { ContactWritesRepository } from './contact-writes.repository.js';
import type { ContactRow } from '../contact.entity.js';
import { ContactsRepository } from '../contacts.repository.js';
import { OptOuts } from '../opt-outs.js';

/** Writes of one address that are done as one, and their places. */
interface Group {
  write: ContactWrite;
  parts: number[];
}

interface WriteOptions {
  checksFirst?: boolean;
  timeouts?: string;
  /** Each statement is a commit of its own. */
  eachCommits?: boolean;
}

/**
 * The one way by which contacts come to be or change by their address, for any number of them. In one commit with it: its events, consents,
 * counts, and whose segments are to be looked at. A change that changes nothing is none: no write, no fact.
 */
@Injectable()
export class ContactWrites {
  constructor(
    private readonly statement: ContactWritesRepository,
    private readonly contacts: ContactsRepository,
    private readonly optOuts: OptOuts,
    private readonly commits: Commits,
    private readonly outbox: Outbox,
    private readonly clock: DatabaseClock,
  ) {}

  /** In a commit of their own. What Postgres refuses for one row's sake is halved until the row is alone. `patience` is for each lock. */
  async commit(writes: ContactWrite[], timeouts?: string): Promise<WrittenContact[]> {
    return bisect(
      writes,
      (part) => this.commitOnce(part, timeouts),
      (part, error) => part.map(() => refused(error)),
    );
  }

  /**
   * Inside of the ambient transaction, which it must be where one opts out: sending is asked while the rows are held and before their commit,
   * so that no change is said which sending does not know, and the order of opt-outs is that of the contact's changes (docs/guarantees.md §3).
   * `looksFirst` is for writes that as a rule change nothing: they cost no lock then.
   */
  async write(writes: ContactWrite[], options: WriteOptions = {}): Promise<WrittenContact[]> {
    const written: WrittenContact[] = [];
    for (const [position, round] of roundsOf(writes).entries()) {
      const outcomes = await this.writeEach(round, options, position > 0);
      for (const [index, { parts }] of round.entries()) {
        const outcome = outcomes[index]!;
        if (outcome.outcome !== 'REFUSED' || parts.length === 1 || isLockTimeout(outcome.error))
          for (const part of parts) written[part] = outcome;
        // Together they may be too much where each one fits.
        else
          for (const part of parts)
            [written[part]] = (await this.writeEach(
              [{ write: writes[part]!, parts: [part] }],
              { ...options, checksFirst: false },
              true,
            )) as [WrittenContact];
      }
    }
    await this.publishBulk(writes, written);
    await this.optOut(writes, written);
    return written;
  }

  /** What becomes of writes that all change nothing, and opt nobody out; null where one does. */
  async unchanged(writes: ContactWrite[]): Promise<WrittenContact[] | null> {
    if (writes.some(({ subscribed }) => subscribed === false)) return null;
    const found = new Map<ContactWrite, WrittenContact>();
    const open = await this.look(writes, found);
    return open.length > 0 ? null : writes.map((write) => found.get(write)!);
  }

  private async commitOnce(writes: ContactWrite[], timeouts?: string): Promise<WrittenContact[]> {
    if (writes.some(({ subscribed, inBulk }) => subscribed === false || inBulk)) {
      return this.commits.before(earliestOf(writes), () => this.write(writes, { timeouts }));
    }
    try {
      return await this.write(writes, { timeouts, eachCommits: true });
    } catch (error) {
      throw isOutcomeUnknown(error) ? outcomeUnknown() : error;
    }
  }

  /** One address each. What has landed by itself is told of, whatever locks the others wait for in vain. */
  private async writeEach(
    groups: Group[],
    { checksFirst: looksFirst, timeouts: waitMs, eachCommits }: WriteOptions,
    isWritten: boolean,
  ): Promise<WrittenContact[]> {
    const found = new Map<ContactWrite, WrittenContact>();
    let open = inOrder(groups.map(({ write }) => write));
    let ofAnySize = false;
    if (looksFirst) open = await this.look(open, found);
    while (open.length > 0) {
      const written = await this.statement.write(open, ofAnySize, waitMs).catch((error: Error) => {
        if (!eachCommits || !(isWritten || found.size > 0) || !isLockTimeout(error)) throw error;
        return error;
      });
      if (isNativeError(written)) {
        for (const write of open) found.set(write, refused(written));
        break;
      }
      for (const [index, { contact, before }] of written) {
        found.set(open[index]!, { outcome: before ? 'UPDATED' : 'CREATED', contact, before, error: null });
      }
      // What the statement left alone changes nothing as a rule; else somebody was quicker, or its size is known only now.
      open = await this.look(
        open.filter((_, index) => !written.has(index)),
        found,
      );
      ofAnySize = true;
    }
    return groups.map(({ write }) => found.get(write)!);
  }

  /** Finds those that need no write; answers the others. */
  private async look(
    writes: ContactWrite[],
    found: Map<ContactWrite, WrittenContact>,
  ): Promise<ContactWrite[]> {
    if (writes.length === 0) return [];
    const known = new Map((await this.contacts.byAddresses(writes)).map((row) => [keyOf(row), row]));
    const now = await this.clock.now();
    return writes.filter((write) => {
      const outcome = withoutWriting(write, known.get(keyOf(write)) ?? null, now);
      if (outcome) found.set(write, outcome);
      return !outcome;
    });
  }

  private async publishBulk(writes: ContactWrite[], written: WrittenContact[]): Promise<void> {
    const made = writes.filter(({ inBulk }, index) => inBulk && written[index]!.outcome === 'CREATED');
    for (const [projectId, group] of Map.groupBy(made, (write) => write.projectId)) {
      const source = group[0]!.origin.source === 'IMPORT' ? 'IMPORT' : 'BULK';
      const count = new Set(group.map(keyOf)).size;
      await this.outbox.publish(contactEvents.bulkCreated, projectId, [
        { count, source, at: await this.clock.now() },
      ]);
    }
  }

  private async optOut(writes: ContactWrite[], written: WrittenContact[]): Promise<void> {
    const leaving = writes.flatMap(({ subscribed }, index) => {
      const { outcome, contact } = written[index]!;
      return subscribed === false && contact && outcome !== 'SKIPPED' ? [contact] : [];
    });
    const byProject = Map.groupBy(leaving, ({ projectId }) => projectId);
    await Promise.all(
      [...byProject].map(([projectId, rows]) =>
        this.optOuts.put(
          projectId,
          ...rows.map(({ email, id: contactId, seq }) => ({ email, contactId, seq })),
        ),
      ),
    );
  }
}

/** What becomes of it without a write; null where it has to be written. */
function withoutWriting(write: ContactWrite, known: ContactRow | null, now: Date): WrittenContact | null {
  if (write.deadline && now >= write.deadline)
    return refused(unavailable('The deadline of the request has passed'));
  if (!known)
    return write.only === 'KNOWN' ? { outcome: 'SKIPPED', contact: null, before: null, error: null } : null;
  const { subscribed, customFields, customFieldsMode = 'MERGE' } = write;
  const before = { subscribed: known.subscribed, customFields: known.customFields, seq: known.seq };
  if (write.only === 'NEW') return { outcome: 'SKIPPED', contact: known, before, error: null };
  try {
    const changed = known.copy().change({ subscribed, customFields, customFieldsMode });
    return changed ? null : { outcome: 'UNCHANGED', contact: known, before, error: null };
  } catch (error) {
    if (error instanceof DomainError) return refused(error);
    throw error;
  }
}

/** Each address once a round, its writes in their order; those that say the same as one are one. */
function roundsOf(writes: ContactWrite[]): Group[][] {
  const rounds: Group[][] = [];
  const last = new Map<string, { round: number; group: Group }>();
  writes.forEach((write, index) => {
    const key = keyOf(write);
    const before = last.get(key);
    const together = before && folded(before.group.write, write);
    if (together) {
      before.group.write = together;
      before.group.parts.push(index);
    } else {
      const entry = { round: before ? before.round + 1 : 0, group: { write: { ...write }, parts: [index] } };
      (rounds[entry.round] ??= []).push(entry.group);
      last.set(key, entry);
    }
  });
  return rounds;
}
