import { requestCatalogue } from '@posthorn/contracts';
import { code, membersOf, table } from './markdown.js';

export function busPage(): string {
  const requests = [...requestCatalogue].sort((a, b) => a.subject.localeCompare(b.subject));
  const rows = requests.map(({ subject, owner, batch, body, reply }) => [
    code(subject),
    owner,
    batch ? 'yes' : 'no',
    membersOf(body),
    membersOf(reply),
  ]);
  return `# Bus

Every request that one service may send to another over NATS. The owner replies; a service that does not handle all of its own
requests does not start. Where requests are batched, concurrent ones travel in one message.

${table(['subject', 'owner', 'batched', 'request', 'reply'], rows)}`;
}
