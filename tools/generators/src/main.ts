// `npm run docs`: writes the pages of docs/ that are made from declarations; with `--check` it says which are stale.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { busPage } from './bus-page.js';
import { configurationPage } from './configuration-page.js';
import { factsPage } from './facts-page.js';
import { openApi } from './open-api.js';
import { routesPage } from './routes-page.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const notice = '<!-- Made by `npm run docs` from the declarations in the code; do not edit. -->\n\n';

const pages: Record<string, () => string | Promise<string>> = {
  'docs/configuration.md': configurationPage,
  'docs/facts.md': factsPage,
  'docs/bus.md': busPage,
  'docs/routes.md': routesPage,
};

/** As the product serves them, byte for byte. */
const documents: Record<string, () => string> = {
  'docs/openapi.json': openApi,
};

const stale: string[] = [];
for (const file of [...Object.keys(pages), ...Object.keys(documents)]) {
  const path = join(root, file);
  const wanted = documents[file]?.() ?? (await laidOut(path, notice + (await pages[file]!())));
  if (existsSync(path) && readFileSync(path, 'utf8') === wanted) continue;
  stale.push(file);
  if (!process.argv.includes('--check')) write(path, wanted);
}

if (!process.argv.includes('--check')) console.log(stale.length > 0 ? `wrote ${stale.join(', ')}` : 'nothing to write');
else if (stale.length > 0) {
  console.error(`stale: ${stale.join(', ')}; run npm run docs`);
  process.exitCode = 1;
}

async function laidOut(path: string, text: string): Promise<string> {
  return format(text, { ...(await resolveConfig(path)), filepath: path });
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
