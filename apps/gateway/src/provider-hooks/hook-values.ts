import { boundedText, normaliseAddress, parseInstant, type ProviderEvent } from '@posthorn/contracts';
import { readReturnPath } from '@posthorn/mail';

/** Reads members of what a provider sent: signed, and yet of any shape. */
export type Members = Readonly<Record<string, unknown>>;

export const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
export const listOf = (value: unknown): Members[] =>
  Array.isArray(value) ? value.map((item) => membersOf(item)) : [];
export const textOf = (value: unknown, maxLength = 1_000): string | undefined =>
  typeof value === 'string' && value !== '' ? boundedText(value, maxLength) : undefined;

const messageId = /^<?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})@[^@>]+>?$/i;
const enhanced = /(?:^|[\s;:#(-])([245]\.\d{1,3}\.\d{1,3})(?=[\s)\]:;,.-]|$)/;
const code = /(?:^|;\s*)([245]\d\d)(?=[\s-]|$)/;

export const emailIdOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? messageId.exec(value.trim())?.[1]?.toLowerCase() : undefined;

/** By the return path, which is proof, or by the Message-ID. */
export function locate(
  { returnPath, messageIds }: { returnPath?: unknown; messageIds: unknown[] },
  secrets: readonly string[],
): Pick<ProviderEvent, 'emailId' | 'position'> | null {
  const target = typeof returnPath === 'string' ? readReturnPath(returnPath.trim(), secrets) : null;
  if (target) return target;
  for (const id of messageIds) {
    const emailId = emailIdOf(id);
    if (emailId) return { emailId };
  }
  return null;
}

export function recipientOf(value: unknown): { recipient?: string } {
  const address = typeof value === 'string' ? normaliseAddress(value) : null;
  return address ? { recipient: address } : {};
}

/** An instant as ISO 8601, or in seconds since 1970. */
export function instantOf(value: unknown): { at?: Date } {
  const at =
    typeof value === 'number' && Number.isFinite(value) && value > 0 && value < 1e11
      ? new Date(value * 1_000)
      : typeof value === 'string'
        ? parseInstant(value)
        : null;
  return at ? { at } : {};
}

export const engagementOf = (
  kind: ProviderEvent['kind'],
  { url, userAgent }: { url?: unknown; userAgent?: unknown },
): Pick<ProviderEvent, 'url' | 'userAgent'> => {
  if (kind !== 'OPENED' && kind !== 'CLICKED') return {};
  const link = textOf(url, 2_048);
  return { userAgent: textOf(userAgent, 512) ?? '', ...(link ? { url: link } : {}) };
};

/** The codes in what the receiving server said; those that the provider names itself come first. */
export function codesIn(
  detail: string | undefined,
  { status, reply }: { status?: unknown; reply?: unknown } = {},
): Pick<ProviderEvent, 'statusCode' | 'replyCode'> {
  const statusCode = enhancedIn(detail) ?? (typeof status === 'string' ? enhancedIn(status) : undefined);
  const replyCode = Number(typeof reply === 'number' ? reply : code.exec(detail ?? '')?.[1]);
  return {
    ...(statusCode ? { statusCode } : {}),
    ...(replyCode >= 200 && replyCode < 600 ? { replyCode } : {}),
  };
}

const enhancedIn = (text: string | undefined): string | undefined => enhanced.exec(text ?? '')?.[1];

export const detailOf = (...texts: unknown[]): { detail?: string } => {
  const detail = texts.map((text) => textOf(text)).find((text) => text !== undefined);
  return detail === undefined ? {} : { detail };
};
