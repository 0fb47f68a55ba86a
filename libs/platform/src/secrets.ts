/** Removed from log lines, whoever produced their text. */
const secrets: readonly [pattern: RegExp, instead: string][] = [
  [/\b(?:[sp]k_(?:live|test)|o(?:at|rt|cs))_\w+/g, '<key>'],
  [/(:\/\/)[^\s/@]+@/g, '$1<credentials>@'],
  // Broader than the grammar of addresses. Paths such as /@scope/name do not match: nothing precedes the @.
  [/[^\s<>()[\]"'`,;:/\\@=]{1,320}@[^\s<>()"'`,;/\\@=]{0,253}[^\s<>()"'`,;/\\@=.]/g, '<address>'],
];

export function withoutSecrets(text: string): string {
  return text.includes('@') || text.includes('_')
    ? secrets.reduce((left, [pattern, instead]) => left.replace(pattern, instead), text)
    : text;
}
