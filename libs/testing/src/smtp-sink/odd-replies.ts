const variants: readonly ((code: string, number: number) => (string | Buffer)[])[] = [
  (code, number) => [`${code} `, Buffer.from([0x80 + (number % 0x80), 0xff, 0xfe, 0xe9])],
  (code) => [`${code} before\0after\0\0`],
  (code) => [`${code} lone\rreturn\r\rhere`],
  (code, number) => [`${code} ${'long '.repeat(1_000 + (number % 9_000))}`],
  (code, number) => [...lines(code, 20 + (number % 400)), `${code} end`],
  (code) => [`${code} ${'\u0001\u0002\u001b\u0007\u007f'.repeat(190)}`],
  // The first half of a character, a surrogate in UTF-8, and an overlong NUL.
  (code) => [`${code} `, Buffer.from([0xf0, 0x9f, 0x20, 0xed, 0xa0, 0x80, 0x20, 0xc0, 0x80, 0xe2, 0x82])],
  (code) => [`${code}-5.7.1 ${'\u{1f600}'.repeat(300)}\r\n`, `${code} \u202e\ufeff\u2028\u0085`],
  (code) => [`${code}-\r\n${code}-   \r\n${code}`],
  (code, number) => [`${code} ${'\u0001'.repeat(1_000 + (number % 100_000))}`],
  (code) => [`${code} {{ "x" | url_decode }} %s ' " \\ \\u0000 <script> $1 --`],
  (code) => [`${code}-9.9.9 odd\r\n${code}-5.999.0 codes\r\n${code} 5.1.1000 here`],
];

const lines = (code: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${code}-line ${index} \u00e9\u0000\r\n`);

/** A complete reply with this code, in a form that real servers should not use; the same for the same number. */
export function oddReply(code: string, number: number): Buffer {
  const parts = variants[number % variants.length]!(code, number);
  return Buffer.concat(
    [...parts, '\r\n'].map((part) => (typeof part === 'string' ? Buffer.from(part) : part)),
  );
}
