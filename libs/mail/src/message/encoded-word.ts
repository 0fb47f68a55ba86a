export const maxHeaderLine = 76;
const wordOverhead = '=?UTF-8?B??='.length;
const maxEncodedWord = 75;

// A literal `=?` would be decoded by clients, and outer or doubled blanks do not survive unfolding.
const plainText = /^(?!.*(?:=\?| {2}))[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;
const longToken = /[^ ]{60}/;

export function encodeText(value: string, used: number): string {
  if (value === '') return '';
  return plainText.test(value) && !longToken.test(value) ? fold(value, used) : encodeWords(value, used);
}

export function encodeWords(value: string, used: number): string {
  const texts: string[] = [];
  let capacity = bytesThatFit(maxHeaderLine - used);
  let start = 0;
  let bytes = 0;
  let at = 0;
  // RFC 2047 §5 forbids splitting a character over two encoded words.
  for (const character of value) {
    const size = utf8Length(character.codePointAt(0)!);
    if (bytes + size > capacity) {
      texts.push(encodeWord(value.slice(start, at)));
      start = at;
      bytes = 0;
      capacity = bytesThatFit(maxHeaderLine - 1);
    }
    bytes += size;
    at += character.length;
  }
  texts.push(encodeWord(value.slice(start)));
  return texts.join('\r\n ');
}

/** Breaks at single blanks only, so that unfolding restores the text. A token longer than a line stays whole. */
export function fold(value: string, used: number): string {
  if (used + value.length <= maxHeaderLine) return value;
  let line = used;
  let folded = '';
  for (const token of value.split(' ')) {
    if (folded === '') {
      folded = token;
      line += token.length;
    } else if (line + 1 + token.length > maxHeaderLine) {
      folded += `\r\n ${token}`;
      line = 1 + token.length;
    } else {
      folded += ` ${token}`;
      line += 1 + token.length;
    }
  }
  return folded;
}

function encodeWord(text: string): string {
  return `=?UTF-8?B?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}

function bytesThatFit(columns: number): number {
  const characters = Math.min(columns, maxEncodedWord) - wordOverhead;
  return Math.max(Math.floor(characters / 4) * 3, 4);
}

function utf8Length(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}
