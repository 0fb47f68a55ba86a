// `npm run docs`: writes the pages of docs/ that are made from declarations; with `--check` it says which are stale,
// with `--release` it also keeps the events of this release.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, getFileInfo, resolveConfig } from 'prettier';
import { eventSchemas } from '@posthorn/contracts';
import { asyncApiDocument } from './asyncapi-document.js';
import { busPage } from './bus-page.js';
import { configurationPage } from './configuration-page.js';
import { envExample } from './env-example.js';
import { kubernetesFiles } from './kubernetes/files.js';
import { eventsPage } from './events-page.js';
import { metricsPage } from './metrics-page.js';
import { natsUsers } from './nats-users.js';
import { openApi } from './open-api.js';
import { statementPages } from './statements.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const notice = 'Made by `npm run docs` from the declarations in the code; do not edit.';
const noticeOf = (file: string): string =>
  file.endsWith('.md') ? `<!-- ${notice} -->\n\n` : file.endsWith('.sql') ? `-- ${notice}\n\n` : '';

const pages: Record<string, () => string | Promise<string>> = {
  'docs/configuration.md': configurationPage,
  'docs/events.md': eventsPage,
  'docs/bus.md': busPage,
  'docs/metrics.md': metricsPage,
  'docs/asyncapi.json': asyncApiDocument,
  'docs/openapi.json': openApi,
  '.env.example': envExample,
  'deploy/nats.conf': natsUsers,
  ...statementPages,
  ...textsOf(await kubernetesFiles()),
};

const stale: string[] = [];
for (const [file, make] of Object.entries(pages)) {
  const path = join(root, file);
  const wanted = await formatted(path, noticeOf(file) + (await make()));
  if (existsSync(path) && readFileSync(path, 'utf8') === wanted) continue;
  stale.push(file);
  if (!process.argv.includes('--check')) write(path, wanted);
}

if (process.argv.includes('--release')) await keepRelease();

if (!process.argv.includes('--check'))
  console.log(stale.length > 0 ? `wrote ${stale.join(', ')}` : 'nothing to write');
else if (stale.length > 0) {
  console.error(`stale: ${stale.join(', ')}; run npm run docs`);
  process.exitCode = 1;
}

/** The events as this release tells them: the next ones are held against it (tools/checks/src/event-compatibility.spec.ts). */
async function keepRelease(): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const path = join(root, `docs/events/${version}.json`);
  write(path, await formatted(path, JSON.stringify(eventSchemas())));
  stale.push(`docs/events/${version}.json`);
}

function textsOf(files: Record<string, string>): Record<string, () => string> {
  return Object.fromEntries(Object.entries(files).map(([file, text]) => [file, () => text]));
}

/** As it is where prettier knows no format; templates of a chart are no YAML yet. */
async function formatted(path: string, text: string): Promise<string> {
  const { inferredParser } = await getFileInfo(path);
  return inferredParser && !path.includes('/chart/templates/')
    ? format(text, { ...(await resolveConfig(path)), filepath: path })
    : text;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
