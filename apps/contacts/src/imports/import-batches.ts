import { Injectable } from '@nestjs/common';
import {
  boundedText,
  importPieceBytes,
  type ContactImportError,
  type ImportedStatus,
} from '@posthorn/contracts';
import { Database, isDataError } from '@posthorn/database';
import { bisect } from '@posthorn/messaging';
import type { ContactWrite, WrittenContact } from '../contacts/writes/contact-write.js';
import { reasonOf } from '../contacts/writes/refused-row.js';
import { ReportedContacts } from '../erasures/reported-contacts.js';
import { ImportedMembers } from './imported-members.js';
import { ImportErrorsRepository } from './import-errors.repository.js';
import { ImportPiecesRepository } from './import-pieces.repository.js';
import { foldedRows, type FoldedRow } from './import-folding.js';
import type { ImportedRow, RowContact } from './table/import-rows.js';
import type { ImportRow } from './import.entity.js';
import { ImportsRepository, type ImportStep } from './imports.repository.js';

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
