import type { ImportedStatus } from '@posthorn/contracts';
import type { ImportedRow, RowContact } from './table/import-rows.js';
import { graver } from './table/import-status.js';

export interface FoldedRow {
  line: number;
  contact: RowContact;
}

/** One for each address, in the order of the table; cell by cell the first or the last row takes precedence, as if each were a batch of its own. Who left in one row has left. */
export function foldedRows(rows: readonly ImportedRow[], precedence: 'first' | 'last'): FoldedRow[] {
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
