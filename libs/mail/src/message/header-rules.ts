import { encodeText, encodeWords, fold } from './encoded-word.js';
import { MailSyntaxError, refuseLineBreaks } from './mail-syntax-error.js';

/** Message ids and URLs, which encoded words would break (RFC 2047 §5). */
const asciiOnly = new Set([
  'references',
  'in-reply-to',
  'feedback-id',
  'list-unsubscribe',
  'list-unsubscribe-post',
]);
const writtenByMessage = /^(?:from|to|cc|bcc|reply-to|subject|date|message-id|(?:mime|content)-.*)$/i;
const headerName = /^[A-Za-z0-9-]+$/;
const extension = /^x-/i;
const printable = /^[\x20-\x7e]*$/;
const maxValue = 998;

export function formatExtraHeaders(headers: readonly (readonly [string, string])[]): string {
  const seen = new Set<string>();
  let block = '';
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    if (!headerName.test(name) || writtenByMessage.test(name))
      throw new MailSyntaxError(`headers.${JSON.stringify(name)}`, 'is not an allowed header');
    if (seen.has(key)) throw new MailSyntaxError(`headers.${name}`, 'appears twice');
    seen.add(key);
    block += `${name}: ${formatValue(name, value)}\r\n`;
  }
  return block;
}

function formatValue(name: string, value: string): string {
  refuseLineBreaks(`headers.${name}`, value);
  if (value.length > maxValue)
    throw new MailSyntaxError(`headers.${name}`, `longer than ${maxValue} characters`);
  const used = name.length + 2;
  if (extension.test(name)) return encodeText(value, used);
  const isPrintable = printable.test(value);
  if (!isPrintable && asciiOnly.has(name.toLowerCase()))
    throw new MailSyntaxError(`headers.${name}`, 'must be printable ASCII');
  const words = value.trim().replace(/ {2,}/g, ' ');
  const folded = fold(isPrintable ? words : encodeForeignWords(words, used), used);
  if (folded.split('\r\n').some((line, index) => line.length + (index === 0 ? used : 0) > maxValue))
    throw new MailSyntaxError(`headers.${name}`, 'has a line that is too long');
  return folded;
}

/** Other words, such as the id in angle brackets of `List-Id`, are structure and stay as they are. */
function encodeForeignWords(value: string, used: number): string {
  const words = value.split(' ');
  const isForeign = (word: string): boolean => !printable.test(word);
  const [first, last] = [words.findIndex(isForeign), words.findLastIndex(isForeign)];
  const encoded = encodeWords(words.slice(first, last + 1).join(' '), used);
  return [...words.slice(0, first), encoded.replaceAll('\r\n ', ' '), ...words.slice(last + 1)].join(' ');
}
