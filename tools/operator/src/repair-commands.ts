import {
  DomainError,
  invalidMember,
  operations,
  serviceNames,
  type Caller,
  type DeadLetterEntry,
  type ReplayedDeadLetter,
  type ServiceName,
} from '@posthorn/contracts';
import type { Command } from './command.js';
import { readSince } from './since.js';
import type { ReadingBus } from './reading-bus.js';

/** A handler may take 25 seconds (libs/messaging), and a count of a large outbox some. */
const waiting = { timeoutMs: 60_000 };
const pageSize = 100;

/** One service's answer, or why there is none: what one service cannot do must not hide what the others did. */
type Answer<T> = { service: ServiceName; error: string } | ({ service: ServiceName } & T);

export const repairCommands: Command[] = [
  {
    noun: 'events',
    verb: 'republish',
    options: ['since', 'service?'],
    inProject: false,
    describe:
      'publish the events once more that were written since an instant or within 2h, 7d …; whoever has them does nothing',
    run: (bus, caller, { since, service }) => {
      const body = { since: readSince(since!, new Date()) };
      return ofEach(service, (name) => bus.call(operations[name].republish, caller, body, waiting));
    },
  },
  {
    noun: 'dead-letters',
    verb: 'list',
    options: ['service?'],
    inProject: false,
    describe: 'events that a subscriber could not take in, newest first',
    run: (bus, caller, { service }) =>
      ofEach(service, async (name) => ({ deadLetters: await lettersOf(bus, caller, name) })),
  },
  {
    noun: 'dead-letters',
    verb: 'replay',
    positional: 'id',
    flags: ['all'],
    options: ['service?'],
    inProject: false,
    describe: 'let its subscriber try again; what fails again stays, with the new error',
    run: (bus, caller, { id, all, service }) => {
      if (id && !all) return replayOne(bus, caller, id, service);
      if (all && !id)
        return ofEach(service, async (name) => ({ replays: await replayAll(bus, caller, name) }));
      throw invalidMember(['id'], 'required', 'is required, or --all');
    },
  },
];

async function ofEach<T extends object>(
  only: string | undefined,
  request: (service: ServiceName) => Promise<T>,
): Promise<Answer<T>[]> {
  return Promise.all(
    chosen(only).map(async (service) => {
      try {
        return { service, ...(await request(service)) };
      } catch (error) {
        // Asked for by name it must answer, and what cannot be read is no service's fault.
        if (only || !(error instanceof DomainError) || error.kind === 'invalid') throw error;
        return { service, error: error.message };
      }
    }),
  );
}

function chosen(only: string | undefined): readonly ServiceName[] {
  if (!only) return serviceNames;
  if (!serviceNames.includes(only as ServiceName))
    throw invalidMember(['service'], 'not_allowed', `must be one of ${serviceNames.join(', ')}`);
  return [only as ServiceName];
}

async function lettersOf(bus: ReadingBus, caller: Caller, service: ServiceName): Promise<DeadLetterEntry[]> {
  const { listDeadLetters } = operations[service];
  const letters: DeadLetterEntry[] = [];
  let page = await bus.call(listDeadLetters, caller, { limit: pageSize }, waiting);
  letters.push(...page.items);
  while (page.next) {
    page = await bus.call(listDeadLetters, caller, { limit: pageSize, after: page.next }, waiting);
    letters.push(...page.items);
  }
  return letters;
}

/** Oldest first, as they came. */
async function replayAll(
  bus: ReadingBus,
  caller: Caller,
  service: ServiceName,
): Promise<ReplayedDeadLetter[]> {
  const replayed: ReplayedDeadLetter[] = [];
  for (const { id } of (await lettersOf(bus, caller, service)).reverse()) {
    replayed.push(await bus.call(operations[service].replayDeadLetter, caller, { id }, waiting));
  }
  return replayed;
}

/** Ids are unique over all services: whoever has it replays it. */
async function replayOne(
  bus: ReadingBus,
  caller: Caller,
  id: string,
  only: string | undefined,
): Promise<Answer<ReplayedDeadLetter>> {
  const answers = await ofEach(only, (service) =>
    bus.call(operations[service].replayDeadLetter, caller, { id }, waiting),
  );
  const found = answers.find((answer) => 'replayed' in answer);
  if (found) return found;
  throw new DomainError(
    'not_found',
    'resource_not_found',
    answers.map(({ service, ...text }) => `${service}: ${'error' in text ? text.error : ''}`).join('; '),
  );
}
