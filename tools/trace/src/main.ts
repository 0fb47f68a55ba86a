// `npm run trace`: starts the services with every request recorded, sends one mail and prints its trace; with `--write` into docs/a-trace.md.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { wantsHelp } from '@posthorn/platform';
import { recordMails } from './recorded-mails.js';
import { traceText } from './trace-tree.js';

if (wantsHelp(process.argv.slice(2))) {
  console.log('usage: npm run trace -- [--write]');
  process.exit(0);
}
const page = join(fileURLToPath(new URL('../../../../', import.meta.url)), 'docs/a-trace.md');
const { traces } = await recordMails({ count: 1, texts: ['--services'] });
const text = traceText(traces[0]!);

if (process.argv.includes('--write')) writeFileSync(page, pageOf(text));
else console.log(text);

function pageOf(trace: string): string {
  return `# A trace

The trace of one e-mail from the request to the last counter that it changes, as printed by \`npm run trace -- --write\`: six services,
one process each, every request recorded. The first column is when a step began, counted from the request; the second is how long it took.

\`\`\`
${trace}
\`\`\`

How traces work and how to turn them on: [ARCHITECTURE.md](../ARCHITECTURE.md#seeing-inside).
`;
}
