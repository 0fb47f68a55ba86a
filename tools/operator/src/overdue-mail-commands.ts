import { overdueMail, type Caller, type SelectHeldMail } from '@posthorn/contracts';
import type { Command, Values } from './command.js';
import type { ReadingBus } from './reading-bus.js';

const waiting = { timeoutMs: 30_000 };

const chosen = ({ project }: Values): SelectHeldMail => (project ? { projectId: project } : {});

export const overdueMailCommands: Command[] = [
  {
    noun: 'deliveries',
    verb: 'held',
    options: [],
    inProject: false,
    describe:
      'overdue mail that is held after an outage or on a restored database; of one project with --project',
    run: (bus, caller, values) => bus.call(overdueMail.held, caller, chosen(values), waiting),
  },
  {
    noun: 'deliveries',
    verb: 'release',
    options: [],
    inProject: false,
    describe: 'send the held mail; of one project with --project',
    run: (bus, caller, values) => changeAll(bus, caller, overdueMail.release, values, 'released'),
  },
  {
    noun: 'deliveries',
    verb: 'drop',
    options: [],
    inProject: false,
    describe: 'fail the held mail (reason: expired); of one project with --project',
    run: (bus, caller, values) => changeAll(bus, caller, overdueMail.drop, values, 'dropped'),
  },
];

/** Batch by batch; may be stopped and started again. */
async function changeAll(
  bus: ReadingBus,
  caller: Caller,
  contract: typeof overdueMail.release | typeof overdueMail.drop,
  values: Values,
  verb: 'released' | 'dropped',
): Promise<object> {
  let total = 0;
  for (;;) {
    const { changed, left } = await bus.call(contract, caller, chosen(values), waiting);
    total += changed;
    if (left === 0 || changed === 0) return { [verb]: total, left };
    console.error(`${total} ${verb}, ${left} left`);
  }
}
