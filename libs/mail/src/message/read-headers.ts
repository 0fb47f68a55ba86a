import { decodeWords } from 'postal-mime';

export function readHeaders(raw: Uint8Array): Record<string, string> {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const end = bytes.indexOf('\r\n\r\n');
  const headers: Record<string, string> = {};
  for (const field of bytes.toString('utf8', 0, end).split(/\r\n(?![ \t])/)) {
    const colon = field.indexOf(':');
    const name = field.slice(0, colon);
    const value = decodeWords(
      field
        .slice(colon + 1)
        .replace(/\r\n/g, '')
        .trim(),
    );
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}\n${value}` : value;
  }
  return headers;
}
