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

Every question that one service may ask another, by NATS request and reply. The owner answers; a service that does not answer
all of its own does not start. Where calls are gathered, concurrent ones travel in one message.

${table(['subject', 'owner', 'gathered', 'question', 'answer'], rows)}`;
}
