import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { noProject, type Caller } from '@posthorn/contracts';
import { Bus, BusConnection } from '@posthorn/messaging';
import { readArguments, StartError, wantsHelp, type Environment } from '@posthorn/platform';
import type { Command, Values } from './command.js';
import { describeFailure } from './failure.js';
import { jobOf } from './jobs.js';
import { ReadingBus } from './reading-bus.js';
import { find, helpOf, nameOf, synopsis, usage } from './usage.js';

/** Nobody's request waits for a command. */
const callTimeoutMs = 10_000;

/** Where a command runs: its environment, and what it says. */
export interface Prompt {
  environment: Environment;
  print(text: string): void;
  complain(text: string): void;
}

/** Operator commands: a client of the bus with the operator's identity, never SQL into a service (docs/api-decisions.md §15). Returns the exit code. */
export async function runCommand(texts: readonly string[], prompt: Prompt): Promise<number> {
  const [noun, verb, ...rest] = texts;
  if (wantsHelp(texts)) {
    prompt.print(usage(noun, verb));
    return 0;
  }
  if (noun === undefined) return fail(prompt, usage());
  try {
    const job = jobOf(noun);
    if (job) {
      await job.run(texts.slice(1), prompt.environment, prompt);
      return 0;
    }
    const command = find(noun, verb);
    const values = readValues(command, rest);
    const caller: Caller = {
      projectId: projectFor(command, values, prompt),
      actor: { kind: 'OPERATOR', id: 'posthorn' },
    };
    return await withBus(prompt, (bus) => execute(command, bus, caller, values, prompt));
  } catch (error) {
    if (error instanceof StartError) return fail(prompt, error.message);
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

function projectFor(command: Command, values: Values, prompt: Prompt): string {
  const projectId = values['project'] ?? readJson<{ projectId: string }>(prompt, 'dev.json')?.projectId;
  if (!projectId && command.inProject)
    throw new StartError(`${nameOf(command)} needs --project, the id of a project: ${synopsis(command)}`);
  return projectId ?? noProject;
}

async function execute(
  command: Command,
  bus: ReadingBus,
  caller: Caller,
  values: Values,
  prompt: Prompt,
): Promise<number> {
  try {
    prompt.print(JSON.stringify(await command.run(bus, caller, values), null, 2));
    return 0;
  } catch (error) {
    return fail(prompt, describeFailure(error, command));
  }
}

async function withBus(prompt: Prompt, work: (bus: ReadingBus) => Promise<number>): Promise<number> {
  const url =
    prompt.environment['NATS_URL'] ?? readJson<{ natsUrl: string }>(prompt, 'servers.json')?.natsUrl;
  if (!url) return fail(prompt, 'nothing runs here: start Posthorn with npm start, or set NATS_URL');
  const connection = await BusConnection.open({ url, name: 'operator' }).catch(() => null);
  if (!connection)
    return fail(prompt, `NATS does not answer at ${url}: start Posthorn with npm start, or set NATS_URL`);
  try {
    return await work(new ReadingBus(new Bus(connection, undefined, undefined, callTimeoutMs)));
  } finally {
    await connection.close();
  }
}

function readJson<T>({ environment }: Prompt, name: string): T | null {
  const dataDirectory = environment['POSTHORN_DATA_DIR'] ?? '.posthorn';
  try {
    return JSON.parse(readFileSync(join(dataDirectory, name), 'utf8')) as T;
  } catch {
    return null;
  }
}

function fail(prompt: Prompt, message: string): number {
  prompt.complain(message);
  return 1;
}
