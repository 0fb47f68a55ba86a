import { Injectable } from '@nestjs/common';
import {
  boundedText,
  importPieceBytes,
  type ContactImportError,
  type ImportedStatus,
  contactEvents,
} from '@posthorn/contracts';
import { Database, isDataError } from '@posthorn/database';
import { bisect, Outbox } from '@posthorn/messaging';
import type { ContactWrite, WrittenContact } from '../contacts/writes/contact-write.js';
import { reasonOf } from '../contacts/writes/refused-row.js';
import { ReportedContacts } from '../erasures/reported-contacts.js';
import { ImportErrorsRepository } from './import-errors.repository.js';
import { ImportPiecesRepository } from './import-pieces.repository.js';
import type { ImportedRow, RowContact } from './table/import-rows.js';
import type { ImportRow } from './import.entity.js';
import { ImportsRepository, type ImportStep } from './imports.repository.js';
import { graver } from './table/import-status.js';
import { ContactsRepository } from '../contacts/contacts.repository.js';
import { ListsRepository } from '../lists/lists.repository.js';
import { MembershipsRepository } from '../lists/memberships.repository.js';
import { SegmentDirtyRepository } from '../segments/segment-dirty.repository.js';

@Injectable()
export class ImportedMembers {
  constructor(
    private readonly lists: ListsRepository,
    private readonly contacts: ContactsRepository,
    private readonly memberships: MembershipsRepository,
    private readonly dirty: SegmentDirtyRepository,
    private readonly outbox: Outbox,
  ) {}

  /** Locks the lists and the contacts against deletion, until the end of the transaction. */
  async lock(
    { projectId, listIds }: ImportRow,
    emails: string[],
  ): Promise<{ locked: string[]; deleted: string[] }> {
    if (listIds.length === 0) return { locked: [], deleted: [] };
    const rows = await this.lists.lockAllShared(projectId, listIds);
    const locked = rows.map(({ id }) => id);
    if (locked.length > 0) await this.contacts.lockAgainstDeletion(projectId, emails);
    return { locked, deleted: listIds.filter((id) => !locked.includes(id)) };
  }

  /** Of `asked`, who unsubscribed here and was not only never asked. First all of them are locked: a statement that waited would not see why. */
  async unsubscribedOf(
    projectId: string,
    { all, asked }: Record<'all' | 'asked', string[]>,
  ): Promise<Set<string>> {
    await this.contacts.lockAll(projectId, all);
    return new Set(await this.contacts.unsubscribedOf(projectId, asked));
  }

  async join(projectId: string, listIds: string[], written: WrittenContact[]): Promise<void> {
    const contactIds = written.flatMap(({ contact, outcome }) =>
      contact && outcome !== 'SKIPPED' ? [contact.id] : [],
    );
    if (listIds.length === 0 || contactIds.length === 0) return;
    const joined = await this.memberships.join(projectId, listIds, contactIds);
    if (joined.length === 0) return;
    await this.dirty.mark(joined.map(({ contactId }) => ({ projectId, contactId })));
    await this.outbox.publish(
      contactEvents.membershipChanged,
      projectId,
      joined.map((row) => ({ ...row, status: 'CONFIRMED' as const })),
    );
  }
}

/** Further errors are counted, but not stored. */
const maxReportedErrors = 100_000;
const maxReasonLength = 400;

/** Writes rows in one commit with the position of the import, so that after a crash it continues exactly after them. */
@Injectable()
export class ImportBatches {
  constructor(
    private readonly database: Database,
    private readonly imports: ImportsRepository,
    private readonly pieces: ImportPiecesRepository,
    private readonly errors: ImportErrorsRepository,
    private readonly reported: ReportedContacts,
    private readonly members: ImportedMembers,
  ) {}

  /** False where the import has ended. `checkLease` throws where another worker has the import by now. */
  async store(
    job: ImportRow,
    rows: readonly ImportedRow[],
    checkLease: () => Promise<void>,
  ): Promise<boolean> {
    const storeOnce = async (part: ImportedRow[]) => [await this.storeOnce(job, part, checkLease)];
    const stored = await bisect(rows, storeOnce, ([row], error) => {
      if (!isDataError(error)) throw error;
      return storeOnce([{ ...row!, contact: null, reason: reasonOf(error) }]);
    });
    return stored.every(Boolean);
  }

  private async storeOnce(
    job: ImportRow,
    rows: readonly ImportedRow[],
    checkLease: () => Promise<void>,
  ): Promise<boolean> {
    const step = await this.database.transaction(async () => {
      await checkLease();
      const now = await this.imports.lock(job.projectId, job.id);
      return now?.status === 'RUNNING' ? this.write(now, rows) : null;
    });
    if (!step) return false;
    job.position = step.position;
    job.processed += step.processed;
    return true;
  }

  /** Lists are locked before contacts, as everywhere. */
  private async write(job: ImportRow, rows: readonly ImportedRow[]): Promise<ImportStep> {
    const folded = foldedRows(rows, job.mode === 'create' ? 'first' : 'last');
    const { locked, deleted } = await this.members.lock(
      job,
      folded.map(({ contact }) => contact.email),
    );
    const left = await this.leftOf(job, folded);
    const written = await this.reported.write(
      folded.map((row) => writeOf(job, row, left)),
      folded.map(() => job.createdAt),
    );
    const joining = written.filter((_, index) => mayJoin(folded[index]!.contact, left));
    await this.members.join(job.projectId, locked, joining);
    const failures = failuresOf(rows, folded, written);
    const step = stepOf(rows, written, failures.length);
    const reported = [
      ...failures,
      ...(job.processed < maxReportedErrors ? keptOf(folded, left) : []),
      ...(deleted.length > 0 ? [withoutLists(rows[0]!.line, deleted)] : []),
    ];
    if (job.failed < maxReportedErrors) await this.errors.add(job, onePerLine(reported));
    await this.imports.advance(job, step, locked);
    await this.pieces.removeBefore(job, Math.floor(step.position / importPieceBytes));
    return step;
  }

  /** Of those that the table would subscribe, who unsubscribed here: locked, so that nobody leaves meanwhile. */
  private async leftOf(
    { projectId, subscribed, resubscribe, mode }: ImportRow,
    folded: readonly FoldedRow[],
  ): Promise<ReadonlySet<string>> {
    const subscribing = folded.flatMap(({ contact: { email, status } }) =>
      status === 'SUBSCRIBED' || (status === undefined && subscribed) ? [email] : [],
    );
    if (resubscribe || mode === 'create' || subscribing.length === 0) return new Set();
    const all = folded.map(({ contact }) => contact.email);
    return this.members.unsubscribedOf(projectId, { all, asked: subscribing });
  }
}

/** What a status says of a contact. Who has not confirmed elsewhere may have subscribed here. */
const effectOf: Readonly<
  Record<ImportedStatus, Pick<ContactWrite, 'subscribed' | 'subscribedWhenNew' | 'suppress'>>
> = {
  SUBSCRIBED: { subscribed: true },
  UNSUBSCRIBED: { subscribed: false },
  PENDING: { subscribed: undefined, subscribedWhenNew: false },
  BOUNCED: { subscribed: false, suppress: 'HARD_BOUNCE' },
  COMPLAINED: { subscribed: false, suppress: 'COMPLAINT' },
};

function writeOf(
  { projectId, mode, subscribed, origin }: ImportRow,
  { contact: { email, customFields, status } }: FoldedRow,
  left: ReadonlySet<string>,
): ContactWrite {
  const only = mode === 'create' ? 'NEW' : mode === 'update' ? 'KNOWN' : undefined;
  const effect = status ? effectOf[status] : { subscribed: subscribed ?? undefined };
  const kept = left.has(email) ? { subscribed: undefined } : {};
  return { projectId, email, customFields, ...effect, ...kept, only, inBulk: true, origin };
}

const mayJoin = ({ email, status = 'SUBSCRIBED' }: RowContact, left: ReadonlySet<string>): boolean =>
  status === 'SUBSCRIBED' && !left.has(email);

const keptOf = (folded: readonly FoldedRow[], left: ReadonlySet<string>): ContactImportError[] =>
  folded.flatMap(({ line, contact }) => (left.has(contact.email) ? [staysUnsubscribed(line)] : []));

const staysUnsubscribed = (line: number): ContactImportError => ({
  line,
  reason:
    'stays unsubscribed, because this person unsubscribed here; import with resubscribe=true if they asked for it',
});

function failuresOf(
  rows: readonly ImportedRow[],
  folded: readonly FoldedRow[],
  written: readonly WrittenContact[],
): ContactImportError[] {
  const unread = rows.flatMap(({ line, reason, cells }) =>
    reason === null ? [] : [{ line, reason, cells }],
  );
  const refused = folded.flatMap(({ line }, index) => {
    const { error } = written[index]!;
    return error
      ? [{ line, reason: reasonOf(error), cells: rows.find((row) => row.line === line)?.cells }]
      : [];
  });
  return [...unread, ...refused];
}

function stepOf(
  rows: readonly ImportedRow[],
  written: readonly WrittenContact[],
  failed: number,
): ImportStep {
  const { end: position, lines: line } = rows.at(-1)!;
  const count = (wanted: WrittenContact['outcome']) =>
    written.filter(({ outcome }) => outcome === wanted).length;
  const [created, updated] = [count('CREATED'), count('UPDATED')];
  return {
    position,
    line,
    processed: rows.length,
    created,
    updated,
    failed,
    skipped: rows.length - created - updated - failed,
  };
}

const withoutLists = (line: number, deleted: readonly string[]): ContactImportError => ({
  line,
  reason: `from here on: not added to ${deleted.join(', ')}, which was deleted`,
});

function onePerLine(errors: readonly ContactImportError[]): ContactImportError[] {
  const reasons = Map.groupBy(errors, ({ line }) => line);
  return [...reasons].map(([line, each]) => ({
    line,
    reason: boundedText(each.map(({ reason }) => reason).join('; '), maxReasonLength),
    cells: each.find(({ cells }) => cells)?.cells,
  }));
}

interface FoldedRow {
  line: number;
  contact: RowContact;
}

/** One for each address, in the order of the table; cell by cell the first or the last row takes precedence, as if each were a batch of its own. Who left in one row has left. */
function foldedRows(rows: readonly ImportedRow[], precedence: 'first' | 'last'): FoldedRow[] {
  const folded = new Map<string, FoldedRow>();
  for (const { contact, line } of rows) {
    if (!contact) continue;
    const known = folded.get(contact.email);
    if (!known) folded.set(contact.email, { line, contact });
    else if (precedence === 'last')
      folded.set(contact.email, { line, contact: merged(known.contact, contact) });
    else folded.set(contact.email, { ...known, contact: withStatus(known.contact, contact.status) });
  }
  return [...folded.values()];
}

const merged = (first: RowContact, second: RowContact): RowContact =>
  withStatus(
    { ...first, ...second, customFields: { ...first.customFields, ...second.customFields } },
    first.status,
  );

function withStatus(contact: RowContact, other: ImportedStatus | undefined): RowContact {
  const status = graver(contact.status, other);
  return status === undefined ? contact : { ...contact, status };
}
