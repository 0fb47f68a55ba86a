import type { ImportedRow, RowContact } from './import-rows.js';

export interface FoldedRow {
  line: number;
  contact: RowContact;
}

/** One for each address, in the order of the table; cell by cell the first or the last row takes precedence, as if each were a batch of its own. */
export function foldedRows(rows: readonly ImportedRow[], precedence: 'first' | 'last'): FoldedRow[] {
  const folded = new Map<string, FoldedRow>();
  for (const { contact, line } of rows) {
    if (!contact) continue;
    const known = folded.get(contact.email);
    if (!known) folded.set(contact.email, { line, contact });
    else if (precedence === 'last')
      folded.set(contact.email, { line, contact: merged(known.contact, contact) });
  }
  return [...folded.values()];
}

const merged = (first: RowContact, second: RowContact): RowContact => ({
  ...first,
  ...second,
  customFields: { ...first.customFields, ...second.customFields },
});
