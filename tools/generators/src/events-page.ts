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
  return `# Events

The domain events that services publish over JetStream after their transaction has committed. One event carries 1 to 256 items
of one project. It may arrive more than once and out of order. Events change only by adding members.

${table(['event', 'owner', 'version', 'members of one item', 'meaning'], rows)}`;
}
