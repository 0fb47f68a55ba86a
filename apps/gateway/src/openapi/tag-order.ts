/** In the order of the specification; related resources follow theirs. */
const resources: readonly string[] = [
  ...['emails', 'engagement', 'events'],
  ...['contacts', 'imports', 'erasures'],
  ...['lists', 'segments', 'workflows', 'campaigns'],
  ...['templates', 'snippets', 'suppressions', 'domains', 'webhooks'],
  ...['projects', 'members', 'sessions', 'apiKeys', 'reveal', 'audit'],
  ...['mailboxes', 'analytics'],
];

const legacyPrefix = 'legacy ';

export const legacyTag = (noun: string): string => legacyPrefix + noun;

export function inTagOrder(tags: Iterable<string>): string[] {
  return [...new Set(tags)].sort((a, b) => rankOf(a) - rankOf(b) || a.localeCompare(b));
}

function rankOf(tag: string): number {
  const isLegacy = tag.startsWith(legacyPrefix);
  const index = resources.indexOf(isLegacy ? tag.slice(legacyPrefix.length) : tag);
  return (isLegacy ? 1_000 : 0) + (index === -1 ? resources.length : index);
}
