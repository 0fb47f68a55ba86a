import { csvUnreadable, invalidMember, normaliseAddress } from '@posthorn/contracts';
import { csvTableOf } from '@posthorn/csv';
import type { FileLayout } from './email-validation.entity.js';

const labelOf = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '');
const usualNames = ['email', 'emailaddress', 'mail', 'mailaddress', 'recipient', 'to'];

/** Without the apostrophe by which our export keeps spreadsheets from reading a cell as a formula. */
export const textOfCell = (cell = ''): string => cell.trim().replace(/^'(?=[=+\-@])/, '');
const isAddress = (cell: string): boolean => normaliseAddress(textOfCell(cell)) !== null;

/** From the first row; a file without a header begins with an address. */
export function layoutOf(head: Buffer, wanted?: string): FileLayout {
  if (head.length === 0) throw csvUnreadable('is empty');
  const { delimiter, start, first } = csvTableOf(head);
  if (first?.fault) throw csvUnreadable('has a first row that is malformed');
  const cells = first?.cells ?? [];
  const headed = !cells.some(isAddress);
  const column = wanted === undefined ? usualColumn(cells, headed) : columnNamed(wanted, cells, headed);
  return { delimiter, start, headed, column };
}

function usualColumn(cells: readonly string[], headed: boolean): number {
  if (!headed) return cells.findIndex(isAddress);
  const labels = cells.map(labelOf);
  const usual = usualNames.find((name) => labels.includes(name));
  if (usual === undefined)
    throw csvUnreadable('needs a column email: name the one with the addresses in column');
  return labels.indexOf(usual);
}

function columnNamed(wanted: string, cells: readonly string[], headed: boolean): number {
  const index = headed ? cells.findIndex((cell) => cell.trim() === wanted.trim()) : Number(wanted) - 1;
  if (!(index >= 0 && index < cells.length && Number.isInteger(index)))
    throw invalidMember(['column'], 'not_found', `names a column that does not exist: ${wanted}`);
  return index;
}
