import { eventCatalogue } from '@posthorn/contracts';
import { list } from './markdown.js';

export function eventsPage(): string {
  const events = [...eventCatalogue].sort((a, b) => a.name.localeCompare(b.name));
  const lines = events.map(({ name, version, describe }): [string, string, string] => [
    name,
    `version ${version}`,
    describe,
  ]);
  return `# Events

The domain events that services publish over JetStream after their transaction has committed. One event carries 1 to 256 items
of one project. It may arrive more than once and out of order. Events change only by adding members. A name begins with the
service that owns the event. [asyncapi.json](asyncapi.json) has the members of each.

${list(lines)}`;
}
