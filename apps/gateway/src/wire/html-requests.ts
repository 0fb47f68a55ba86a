import type { IncomingMessage } from 'node:http';
import { headerValues } from './header-values.js';

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
