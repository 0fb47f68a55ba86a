import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { noProject, type Caller } from '@posthorn/contracts';
import { Bus, BusConnection } from '@posthorn/messaging';
import { readArguments, StartError, wantsHelp } from '@posthorn/platform';
import type { Command, Values } from './command.js';
import { describeFailure } from './failure.js';
import { ReadingBus } from './reading-bus.js';
import { find, helpOf, nameOf, synopsis, usage } from './usage.js';

/** Operator commands: a client of the bus with the operator's identity, never SQL into a service (docs/api-decisions.md §15). */
const dataDirectory = process.env['POSTHORN_DATA_DIR'] ?? '.posthorn';

process.exitCode = await run(process.argv.slice(2));

async function run(texts: string[]): Promise<number> {
  const [noun, verb, ...rest] = texts;
  if (wantsHelp(texts)) {
    console.log(usage(noun, verb));
    return 0;
  }
  if (noun === undefined) return fail(usage());
  try {
    const command = find(noun, verb);
    const values = readValues(command, rest);
    const caller: Caller = {
      projectId: projectFor(command, values),
      actor: { kind: 'OPERATOR', id: 'posthorn' },
    };
    return await withBus((bus) => execute(command, bus, caller, values));
  } catch (error) {
    if (error instanceof StartError) return fail(error.message);
    throw error;
  }
}

function readValues(command: Command, texts: string[]): Values {
  const { options, flags = [], positional } = command;
  const given = readArguments(texts, {
    options: [...options, 'project'].map((name) => name.replace(/\?$/, '')),
    flags,
    words: positional ? 1 : 0,
    help: helpOf(command),
  });
  const missing = options.filter((name) => !name.endsWith('?') && !given.values[name]);
  if (missing.length > 0)
    throw new StartError(
      `${nameOf(command)} needs ${missing.map((name) => `--${name}`).join(' and ')}: ${synopsis(command)}`,
    );
  return {
    ...given.values,
    ...Object.fromEntries([...given.flags].map((name) => [name, 'true'])),
    ...(positional && given.words.length > 0 ? { [positional]: given.words[0] } : {}),
  };
}

function projectFor(command: Command, values: Values): string {
  const projectId = values['project'] ?? readJson<{ projectId: string }>('dev.json')?.projectId;
  if (!projectId && command.inProject)
    throw new StartError(`${nameOf(command)} needs --project, the id of a project: ${synopsis(command)}`);
  return projectId ?? noProject;
}

async function execute(command: Command, bus: ReadingBus, caller: Caller, values: Values): Promise<number> {
  try {
    console.log(JSON.stringify(await command.run(bus, caller, values), null, 2));
    return 0;
  } catch (error) {
    return fail(describeFailure(error, command));
  }
}

async function withBus(work: (bus: ReadingBus) => Promise<number>): Promise<number> {
  const url = process.env['NATS_URL'] ?? readJson<{ natsUrl: string }>('servers.json')?.natsUrl;
  if (!url) return fail('nothing runs here: start Posthorn with npm start, or set NATS_URL');
  const connection = await BusConnection.open({ url, name: 'operator' }).catch(() => null);
  if (!connection)
    return fail(`NATS does not answer at ${url}: start Posthorn with npm start, or set NATS_URL`);
  try {
    return await work(new ReadingBus(new Bus(connection)));
  } finally {
    await connection.close();
  }
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
