import type { IncomingMessage } from 'node:http';

/** Every value of a header; Node keeps only the first of some repeated headers. */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index]!;
    if (given.length === name.length && given.toLowerCase() === name) values.push(rawHeaders[index + 1]!);
  }
  return values;
}

type Requested = Pick<IncomingMessage, 'method' | 'rawHeaders'>;

export const acceptsHtml = ({ rawHeaders }: Requested): boolean =>
  headerValues(rawHeaders, 'accept').some((accept) => /\btext\/html\b/i.test(accept));

/** A HEAD counts as a browser, whatever it accepts. */
export const wantsHtml = (requested: Requested): boolean =>
  requested.method === 'HEAD' || acceptsHtml(requested);

// A HEAD, a program that previews or scans links, a browser that fetches ahead, and one whose person has not
// confirmed must not use up a link that works once. Others mean what they ask for (docs/api-decisions.md §5).
export const isReadOnly = (requested: Requested, confirmed: boolean): boolean =>
  requested.method === 'HEAD' || isPreview(requested) || (wantsHtml(requested) && !confirmed);

const previews =
  /bot\b|crawler|spider|preview|externalhit|slack|whatsapp|telegram|skype|embedly|iframely|pinterest|barracuda|mimecast|proofpoint|symantec|trendmicro|ironport|sophos|safelinks|urlscan/i;

const isPreview = ({ rawHeaders }: Requested): boolean =>
  headerValues(rawHeaders, 'user-agent').some((name) => previews.test(name)) ||
  ['sec-purpose', 'purpose', 'x-moz'].some((header) =>
    headerValues(rawHeaders, header).some((purpose) => /prefetch|preview/i.test(purpose)),
  );

/** Sent with every response (docs/guarantees.md §6); pages override what they need. */
export function securityHeaders(publicUrl: string): Readonly<Record<string, string>> {
  return {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-dns-prefetch-control': 'off',
    'x-frame-options': 'DENY',
    'x-permitted-cross-domain-policies': 'none',
    ...(publicUrl.startsWith('https:')
      ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }
      : {}),
  };
}
