import { secrets, type RotatedSecrets, type SecretPosition } from '@posthorn/contracts';
import type { Command } from './command.js';

export const secretsCommands: Command[] = [
  {
    noun: 'secrets',
    verb: 'rotate',
    options: [],
    inProject: false,
    describe: 'seal what lies under an older POSTHORN_SECRET_KEY under the current one; may be stopped and begun again',
    run: async (bus, caller) => {
      const total = { rotated: 0, unreadable: 0, left: 0 };
      let after: SecretPosition | null = null;
      do {
        const done: RotatedSecrets = await bus.call(secrets.rotate, caller, after ? { after } : {});
        total.rotated += done.rotated;
        total.unreadable += done.unreadable;
        total.left = done.left;
        if (done.next) console.error(`${total.rotated} sealed anew, ${done.left} left`);
        after = done.next;
      } while (after);
      return total;
    },
  },
];
