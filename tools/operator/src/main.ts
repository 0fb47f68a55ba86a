import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { noProject, DomainError, type Caller } from '@posthorn/contracts';
import { Bus, BusConnection } from '@posthorn/messaging';
import { ReadingBus } from './reading-bus.js';
import type { Command, Values } from './command.js';
import { commands, usage } from './commands.js';

/** Operator commands: a client of the bus with the operator's identity, never SQL into a service (docs/api-decisions.md §15). */
const dataDirectory = process.env['POSTHORN_DATA_DIR'] ?? '.posthorn';

process.exitCode = await run(process.argv.slice(2));

async function run([noun, verb, ...rest]: string[]): Promise<number> {
  const command = commands.find((each) => each.noun === noun && each.verb === verb);
  if (!command) return fail(usage());
  let values: Values;
  try {
    values = readArguments(command, rest);
  } catch (error) {
    return fail(`${(error as Error).message}\n\n${usage(command)}`);
  }
  const missing = command.options.filter((name) => !name.endsWith('?') && !values[name]);
  const projectId = values['project'] ?? devProject();
  if (missing.length > 0)
    return fail(`missing: ${missing.map((name) => `--${name}`).join(', ')}\n\n${usage(command)}`);
  if (!projectId && command.inProject) return fail(`missing: --project\n\n${usage(command)}`);
  return withBus(async (bus) => {
    const caller: Caller = {
      projectId: projectId ?? noProject,
      actor: { kind: 'OPERATOR', id: 'posthorn' },
    };
    console.log(JSON.stringify(await command.run(bus, caller, values), null, 2));
    return 0;
  });
}

function readArguments({ options, flags = [], positional }: Command, args: string[]): Values {
  const named = [...options, 'project'].map((name) => [name.replace(/\?$/, ''), { type: 'string' as const }]);
  const bare = flags.map((name) => [name, { type: 'boolean' as const }]);
  const read = parseArgs({
    args,
    options: Object.fromEntries([...named, ...bare]),
    allowPositionals: Boolean(positional),
  });
  const first = positional && read.positionals[0] !== undefined ? { [positional]: read.positionals[0] } : {};
  return {
    ...Object.fromEntries(Object.entries(read.values).map(([name, value]) => [name, String(value)])),
    ...first,
  };
}

async function withBus(work: (bus: ReadingBus) => Promise<number>): Promise<number> {
  const url = process.env['NATS_URL'] ?? readJson<{ natsUrl: string }>('servers.json')?.natsUrl;
  if (!url) return fail('nothing runs here: start Posthorn with npm start, or set NATS_URL');
  const connection = await BusConnection.open({ url, name: 'operator' }).catch(() => null);
  if (!connection)
    return fail(`NATS does not answer at ${url}: start Posthorn with npm start, or set NATS_URL`);
  try {
    return await work(new ReadingBus(new Bus(connection)));
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const members = error.details.errors?.map(({ path, message }) => `  ${path.join('.')} ${message}`) ?? [];
    return fail([`${error.code}: ${error.message}`, ...members].join('\n'));
  } finally {
    await connection.close();
  }
}

function devProject(): string | undefined {
  return readJson<{ projectId: string }>('dev.json')?.projectId;
}

function readJson<T>(name: string): T | null {
  try {
    return JSON.parse(readFileSync(join(dataDirectory, name), 'utf8')) as T;
  } catch {
    return null;
  }
}

function fail(message: string): number {
  console.error(message);
  return 1;
}
