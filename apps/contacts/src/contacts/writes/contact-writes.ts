import { isNativeError } from 'node:util/types';
import { Injectable } from '@nestjs/common';
import { contactEvents, DomainError, outcomeUnknown, unavailable } from '@posthorn/contracts';
import { DatabaseClock, isLockTimeout, mayHaveCommitted } from '@posthorn/database';
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

interface Group {
  write: ContactWrite;
  parts: number[];
}

interface WriteOptions {
  timeout?: string;
  eachCommits?: boolean;
}

/** Events, consents, counts and segment marks are in the commit of the write. A write that changes nothing publishes nothing. */
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

  /** In a commit of their own. A batch that Postgres refuses because of one row is halved until that row is alone. */
  async commit(writes: ContactWrite[], timeout?: string): Promise<WrittenContact[]> {
    return bisect(
      writes,
      (part) => this.commitOnce(part, timeout),
      (part, error) => part.map(() => refused(error)),
    );
  }

  /** Joins the ambient transaction; there must be one where a contact opts out (docs/decisions/0020-opt-outs-inside-the-transaction.md). */
  async write(writes: ContactWrite[], options: WriteOptions = {}): Promise<WrittenContact[]> {
    const written: WrittenContact[] = [];
    for (const [index, round] of roundsOf(writes).entries()) {
      const outcomes = await this.writeEach(round, options, index > 0);
      for (const [index, { parts }] of round.entries()) {
        const outcome = outcomes[index]!;
        if (outcome.outcome !== 'REFUSED' || parts.length === 1 || isLockTimeout(outcome.error))
          for (const part of parts) written[part] = outcome;
        // Merged, their fields may exceed the limit although each write is within it.
        else
          for (const part of parts)
            [written[part]] = (await this.writeEach(
              [{ write: writes[part]!, parts: [part] }],
              options,
              true,
            )) as [WrittenContact];
      }
    }
    await this.publishBulk(writes, written);
    await this.optOut(writes, written);
    return written;
  }

  async unchanged(writes: ContactWrite[]): Promise<WrittenContact[] | null> {
    if (writes.some(({ subscribed }) => subscribed === false)) return null;
    const found = new Map<ContactWrite, WrittenContact>();
    const open = await this.check(writes, found);
    return open.length > 0 ? null : writes.map((write) => found.get(write)!);
  }

  private async commitOnce(writes: ContactWrite[], timeout?: string): Promise<WrittenContact[]> {
    if (writes.some(({ subscribed, inBulk }) => subscribed === false || inBulk)) {
      return this.commits.before(earliestOf(writes), () => this.write(writes, { timeout }));
    }
    try {
      return await this.write(writes, { timeout, eachCommits: true });
    } catch (error) {
      throw mayHaveCommitted(error) ? outcomeUnknown() : error;
    }
  }

  /** One group an address. After a lock timeout, what has committed by itself is still reported. */
  private async writeEach(
    groups: Group[],
    { timeout, eachCommits }: WriteOptions,
    isWritten: boolean,
  ): Promise<WrittenContact[]> {
    const found = new Map<ContactWrite, WrittenContact>();
    let open = inOrder(groups.map(({ write }) => write));
    let ofAnySize = false;
    while (open.length > 0) {
      const written = await this.statement.write(open, ofAnySize, timeout).catch((error: Error) => {
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
      // What the statement left out usually changes nothing; otherwise the row changed meanwhile, or its size is checked only here.
      open = await this.check(
        open.filter((_, index) => !written.has(index)),
        found,
      );
      ofAnySize = true;
    }
    return groups.map(({ write }) => found.get(write)!);
  }

  private async check(
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
    const optingOut = writes.flatMap(({ projectId, subscribed, suppress }, index) => {
      const { outcome, contact } = written[index]!;
      if (subscribed !== false || !contact || outcome === 'SKIPPED') return [];
      const { email, id: contactId, seq } = contact;
      return [{ projectId, optOut: { email, contactId, seq, ...(suppress ? { suppress } : {}) } }];
    });
    const byProject = Map.groupBy(optingOut, ({ projectId }) => projectId);
    await Promise.all(
      [...byProject].map(([projectId, rows]) =>
        this.optOuts.put(projectId, ...rows.map(({ optOut }) => optOut)),
      ),
    );
  }
}

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

/** Each address once a round, its writes in their order, folded where the result is the same. */
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
