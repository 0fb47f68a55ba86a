import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench } from './bench.js';
import { load } from './load.js';
import { Product } from './product.js';

interface CpuProfile {
  nodes: { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }[];
  samples: number[];
  timeDeltas: number[];
}

const profiled = ['gateway', 'sending', 'contacts', 'analytics'] as const;
const shown = 18;

/** Where the processor goes while mail is accepted at 16 connections: the functions with the most time of their own. */
export async function profileAccepts({ servers, scale }: Bench): Promise<void> {
  for (const service of profiled) {
    const directory = mkdtempSync(join(tmpdir(), 'posthorn-profile-'));
    const product = await Product.start(servers, { DELIVERY_PAUSED: 'true' });
    await product.restart(service, {
      DELIVERY_PAUSED: 'true',
      NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${directory}`,
    });
    const { accepted } = await load(product.url, 16, scale.seconds, product.token);
    await product.stop();
    for (const file of readdirSync(directory))
      print(service, JSON.parse(readFileSync(join(directory, file), 'utf8')) as CpuProfile, accepted);
    rmSync(directory, { recursive: true, force: true });
  }
}

function print(service: string, { nodes, samples, timeDeltas }: CpuProfile, accepted: number): void {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const spent = new Map<string, number>();
  samples.forEach((id, index) => {
    const name = names.get(id)!;
    spent.set(name, (spent.get(name) ?? 0) + (timeDeltas[index] ?? 0));
  });
  const idle = ['(idle)', '(program)'];
  const most = [...spent].filter(([name]) => !idle.includes(name)).sort(([, a], [, b]) => b - a);
  const total = most.reduce((sum, [, microseconds]) => sum + microseconds, 0);
  console.log(
    `\n${service}: ${Math.round(total / accepted)} µs of JavaScript for each of ${accepted} accepts`,
  );
  for (const [name, microseconds] of most.slice(0, shown))
    console.log(`  ${(microseconds / accepted).toFixed(1).padStart(7)} µs  ${name}`);
}

function nameOf({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string {
  const location = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? url.replace(/^.*\/dist\//, '');
  return `${functionName || '(anonymous)'}${location ? `  ${location}${url.includes('node_modules') ? '' : `:${lineNumber + 1}`}` : ''}`;
}
