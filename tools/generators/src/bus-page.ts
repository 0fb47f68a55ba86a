import { requestCatalogue } from '@posthorn/contracts';
import { code, membersOf, table } from './markdown.js';

export function busPage(): string {
  const requests = [...requestCatalogue].sort((a, b) => a.subject.localeCompare(b.subject));
  const rows = requests.map(({ subject, owner, gathered, onlyReads, body, reply }) => [
    code(subject),
    owner,
    onlyReads ? 'no' : 'yes',
    gathered ? 'yes' : 'no',
    membersOf(body),
    membersOf(reply),
  ]);
  return `# Bus

Every request that one service may send to another over NATS. The owner replies; a service that does not handle all of its own
requests does not start. If the answer to a request that changes nothing is lost, nothing happened. Where requests are gathered,
concurrent ones travel in one message.

${table(['subject', 'owner', 'changes', 'gathered', 'request', 'reply'], rows)}`;
}
