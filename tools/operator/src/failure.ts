import { DomainError } from '@posthorn/contracts';
import type { Command } from './command.js';

/** One line for the person who typed the command. */
export function describeFailure(error: unknown, command: Command): string {
  if (!(error instanceof DomainError)) return (error as Error).message;
  const { code, kind, message, details } = error;
  const members =
    details.errors?.map(({ path, message: wrong }) => `${nameOf(path, command)} ${wrong}`) ?? [];
  const text = members.length > 0 ? members.join('; ') : message;
  const isAway = kind === 'unavailable' || kind === 'timeout';
  return `${text} (${code})${isAway ? ': repeat the command when Posthorn is ready' : ''}`;
}

function nameOf(path: readonly (string | number)[], { options, members = {}, flags = [] }: Command): string {
  const [member = '', ...rest] = path.map(String);
  const option = members[member] ?? member.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const isOption = [...options.map((name) => name.replace('?', '')), ...flags].includes(option);
  return isOption ? `--${option}` : [member, ...rest].join('.');
}
