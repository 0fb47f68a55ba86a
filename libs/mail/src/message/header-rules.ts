import { encodeText, fold } from './encoded-word.js';
import { MailSyntaxError, refuseLineBreaks } from './mail-syntax-error.js';

const threading = new Set(['references', 'in-reply-to']);
const ownedByService = new Set(['feedback-id', 'list-unsubscribe', 'list-unsubscribe-post']);
const extension = /^x-[a-z0-9-]+$/i;
const printable = /^[\x20-\x7e]*$/;
const maxValue = 998;

function isCustomHeader(name: string): boolean {
  return extension.test(name) || threading.has(name.toLowerCase());
}

export function formatExtraHeaders(headers: readonly (readonly [string, string])[]): string {
  const seen = new Set<string>();
  let block = '';
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    if (!isCustomHeader(name) && !ownedByService.has(key))
      throw new MailSyntaxError(`headers.${JSON.stringify(name)}`, 'is not an allowed header');
    if (seen.has(key)) throw new MailSyntaxError(`headers.${name}`, 'appears twice');
    seen.add(key);
    block += `${name}: ${formatValue(name, value)}\r\n`;
  }
  return block;
}

/** Message ids and URLs must be ASCII and are only folded; encoded words would break them (RFC 2047 §5). */
function formatValue(name: string, value: string): string {
  refuseLineBreaks(`headers.${name}`, value);
  if (value.length > maxValue)
    throw new MailSyntaxError(`headers.${name}`, `longer than ${maxValue} characters`);
  const used = name.length + 2;
  if (extension.test(name)) return encodeText(value, used);
  if (!printable.test(value)) throw new MailSyntaxError(`headers.${name}`, 'must be printable ASCII');
  const folded = fold(value.trim().replace(/ {2,}/g, ' '), used);
  if (folded.split('\r\n').some((line, index) => line.length + (index === 0 ? used : 0) > maxValue))
    throw new MailSyntaxError(`headers.${name}`, 'has a line that is too long');
  return folded;
}
