import { eventCatalogue } from '@posthorn/contracts';
import { code, membersOf, table } from './markdown.js';

export function eventsPage(): string {
  const events = [...eventCatalogue].sort((a, b) => a.name.localeCompare(b.name));
  const rows = events.map(({ name, owner, version, item, describe }) => [
    code(name),
    owner,
    String(version),
    membersOf(item),
    describe,
  ]);
  return `# Facts

What happened and was committed, as services tell it to each other over JetStream. One fact carries 1 to 256 items of one
project; it may come more than once and out of order. Facts change only by adding members. Facts of services that do not exist
yet are settled, so that subscribers can be written.

${table(['fact', 'owner', 'version', 'members of one item', 'meaning'], rows)}`;
}
