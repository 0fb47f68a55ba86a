/** What a line may not carry, whoever's words it repeats: a driver's, a mail server's, a URL's. */
const secrets: readonly [pattern: RegExp, instead: string][] = [
  [/\b(?:[sp]k_(?:live|test)|o(?:at|rt|cs))_\w+/g, '<key>'],
  [/(:\/\/)[^\s/@]+@/g, '$1<credentials>@'],
  // Wider than the grammar of addresses: what looks like one is one. A path such as /@scope/name has nothing before the sign.
  [/[^\s<>()[\]"'`,;:/\\@=]{1,320}@[^\s<>()"'`,;/\\@=]{0,253}[^\s<>()"'`,;/\\@=.]/g, '<address>'],
];

/** The same words without addresses and keys. */
export function withoutSecrets(text: string): string {
  return text.includes('@') || text.includes('_')
    ? secrets.reduce((left, [pattern, instead]) => left.replace(pattern, instead), text)
    : text;
}
