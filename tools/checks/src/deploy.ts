// `bin/check deploy`: the compose file, the Dockerfile and the shell scripts, against what is in the tree.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { composeFindings } from './deploy/compose.js';
import { dockerfileFindings } from './deploy/dockerfile.js';
import { shellFindings, shellScripts } from './deploy/shell.js';
import { readTree } from './deploy/tree.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const tree = await readTree(root);
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const findings = [
  ...composeFindings(read('docker-compose.yml'), tree).map((finding) => `docker-compose.yml: ${finding}`),
  ...dockerfileFindings(read('deploy/Dockerfile'), tree).map((finding) => `deploy/Dockerfile: ${finding}`),
  ...shellFindings(root),
];
for (const finding of findings) console.log(finding);
console.log(
  `services: ${Object.keys(tree.services).join(', ')}; shell scripts: ${shellScripts(root).join(', ')}`,
);
process.exitCode = findings.length === 0 ? 0 : 1;
