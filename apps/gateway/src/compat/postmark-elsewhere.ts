import { notCovered, type PostmarkRefusal } from '../dialects/postmark.js';

/** Where Posthorn's own API has what a group of Postmark methods does, by the first segment of their path. */
const elsewhere: ReadonlyMap<string, string> = new Map([
  ['bounces', 'Bounced e-mails are at GET /api/v1/emails?status=BOUNCED'],
  ['deliverystats', 'Bounced e-mails are at GET /api/v1/emails?status=BOUNCED'],
  ['messages', 'Sent e-mails are at GET /api/v1/emails'],
  ['stats', 'Statistics are at GET /api/v1/analytics/timeseries'],
  ['templates', 'Templates are at /api/v1/templates'],
  ['message-streams', 'Suppressions are at /api/v1/suppressions; there are no message streams'],
  ['domains', 'Sending domains are at /api/v1/domains'],
  ['senders', 'Sending domains are at /api/v1/domains; there are no sender signatures'],
  ['webhooks', 'There are no webhooks yet'],
]);

/** The answer to a method or path that the compatibility API does not have; `below` is the path without its prefix. */
export function elsewhereOf(below: string, publicUrl: string): PostmarkRefusal {
  const hint = elsewhere.get(below.split('/')[0]!.toLowerCase());
  return notCovered(
    [
      'This method is not part of the compatibility API, which has POST /email and POST /email/batch only',
      ...(hint ? [hint] : []),
      `Everything else is in the API of Posthorn itself, with the same key as a Bearer token: ${publicUrl.replace(/\/+$/, '')}/docs`,
    ].join('. '),
  );
}
