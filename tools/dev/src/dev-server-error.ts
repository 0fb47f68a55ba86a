/** Something the person at the keyboard can put right; the message says how. */
export class DevServerError extends Error {
  override name = 'DevServerError';
}

/** Takes a line of progress for the person who waits. */
export type Report = (line: string) => void;

/** By shape, not by class: under jest the errors of Node's own modules come from another realm. */
export function errorCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** What a program that failed had to say. */
export function errorOutput(error: unknown): string {
  return String((error as { stderr?: unknown } | null)?.stderr ?? error).trim();
}
