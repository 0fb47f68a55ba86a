import { secrets, type Caller, type RotatedSecrets, type SecretPosition } from '@posthorn/contracts';
import type { Command } from './command.js';
import type { ReadingBus } from './reading-bus.js';

type Rotated = Omit<RotatedSecrets, 'next'>;

export const secretsCommands: Command[] = [
  {
    noun: 'secrets',
    verb: 'rotate',
    options: [],
    inProject: false,
    describe:
      'seal what lies under an older POSTHORN_SECRET_KEY under the current one; may be stopped and begun again',
    run: async (bus, caller) => {
      const total = { rotated: 0, unreadable: 0, left: 0 };
      for (const contract of Object.values(secrets)) {
        const done = await rotateAll(bus, caller, contract);
        for (const count of ['rotated', 'unreadable', 'left'] as const) total[count] += done[count];
      }
      return total;
    },
  },
];

/** Batch by batch what one service has. */
async function rotateAll(
  bus: ReadingBus,
  caller: Caller,
  contract: (typeof secrets)[keyof typeof secrets],
): Promise<Rotated> {
  const total = { rotated: 0, unreadable: 0, left: 0 };
  let after: SecretPosition | null = null;
  do {
    const done: RotatedSecrets = await bus.call(contract, caller, after ? { after } : {});
    total.rotated += done.rotated;
    total.unreadable += done.unreadable;
    total.left = done.left;
    if (done.next) console.error(`${contract.owner}: ${total.rotated} sealed anew, ${done.left} left`);
    after = done.next;
  } while (after);
  return total;
}
