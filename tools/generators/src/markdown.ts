import { fieldsOf, type Field, type Shape } from '@posthorn/contracts';

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escapeCell).join(' | ')} |`;
  return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)].join('\n') + '\n';
}

/** A thing in each line. */
export function list(lines: readonly (readonly [name: string, facts: string, meaning: string])[]): string {
  return lines.map(([name, facts, meaning]) => `- ${code(name)} (${facts}): ${meaning}`).join('\n') + '\n';
}

export function code(text: string): string {
  return `\`${text}\``;
}

/** The members of a shape in one cell, such as `id`, `tags[]`, `reason?`, `error` or null. */
export function membersOf(shape: Shape): string {
  const members = Object.entries(fieldsOf(shape)).map(([name, field]) => member(name, field));
  return members.length > 0 ? members.join(', ') : '—';
}

function member(name: string, { list, optional, nullable }: Field): string {
  return code(`${name}${list ? '[]' : ''}${optional ? '?' : ''}`) + (nullable ? ' or null' : '');
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ');
}
