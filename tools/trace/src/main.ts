// `npm run trace`: starts the services with every request recorded, sends one mail and prints its trace; with `--write` into docs/a-trace.md.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { recordMails } from './recorded-mails.js';
import { traceText } from './trace-tree.js';

const page = join(fileURLToPath(new URL('../../../../', import.meta.url)), 'docs/a-trace.md');
const { traces } = await recordMails({ count: 1, texts: ['--services'] });
const text = traceText(traces[0]!);

if (process.argv.includes('--write')) writeFileSync(page, pageOf(text));
else console.log(text);

function pageOf(trace: string): string {
  return `# A trace

One mail from its request to the last count of it, as \`npm run trace -- --write\` printed it: six services, each a process, every
request recorded. The first column is when a step began after the request came, the second how long it took.

\`\`\`
${trace}
\`\`\`

How to read it, and how to have such traces of one's own: [ARCHITECTURE.md](../ARCHITECTURE.md#seeing-inside).
`;
}
