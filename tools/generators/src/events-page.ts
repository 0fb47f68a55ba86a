import { eventCatalogue } from '@posthorn/contracts';
import { code } from './markdown.js';

export function eventsPage(): string {
  const events = [...eventCatalogue].sort((a, b) => a.name.localeCompare(b.name));
  const lines = events.map(({ name, describe }) => `- ${code(name)}: ${describe}\n`);
  return `# Events

The domain events that services publish over JetStream after their transaction has committed. One event carries 1 to 256 items
of one project. It may arrive more than once and out of order. Events change only by adding members. A name begins with the
service that owns the event. [asyncapi.json](asyncapi.json) has the version and the members of each.

${lines.join('')}`;
}
