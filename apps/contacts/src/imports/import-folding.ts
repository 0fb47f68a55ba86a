import type { ImportedRow, RowContact } from './import-rows.js';

/** What rows of one address say together. */
export interface FoldedRow {
  /** Where the row stands that counts most. */
  line: number;
  contact: RowContact;
}

/** One for each address, in the order of the table: cell by cell the first or the last row counts, as it would where each were a batch of its own. */
export function foldedRows(rows: readonly ImportedRow[], counts: 'first' | 'last'): FoldedRow[] {
  const folded = new Map<string, FoldedRow>();
  for (const { contact, line } of rows) {
    if (!contact) continue;
    const known = folded.get(contact.email);
    if (!known) folded.set(contact.email, { line, contact });
    else if (counts === 'last') folded.set(contact.email, { line, contact: merged(known.contact, contact) });
  }
  return [...folded.values()];
}

const merged = (first: RowContact, second: RowContact): RowContact => ({
  ...first,
  ...second,
  customFields: { ...first.customFields, ...second.customFields },
});
