import {
  invalidMember,
  readModels,
  rebuiltModels,
  type Caller,
  type RebuildPosition,
  type RebuiltModel,
} from '@posthorn/contracts';
import type { Command } from './command.js';
import type { ReadingBus } from './reading-bus.js';

/** Longer than a handler may take (libs/messaging). */
const waiting = { timeoutMs: 30_000 };
const reportsEvery = 10_000;

interface Rebuilt {
  compared: number;
  repaired: number;
}

export const rebuildCommands: Command[] = [
  {
    noun: 'read-models',
    verb: 'rebuild',
    options: ['model?'],
    inProject: false,
    describe: `compare what contacts counts and sums with what it follows from, and set it right, while everything runs: ${rebuiltModels.join(', ')}, or all`,
    run: async (bus, caller, { model }) => {
      const rebuilt: Partial<Record<RebuiltModel, Rebuilt>> = {};
      for (const each of chosen(model)) rebuilt[each] = await rebuild(bus, caller, each);
      return rebuilt;
    },
  },
];

function chosen(only: string | undefined): readonly RebuiltModel[] {
  if (!only) return rebuiltModels;
  const found = rebuiltModels.find((each) => each === only);
  if (!found) throw invalidMember(['model'], 'not_allowed', `must be one of ${rebuiltModels.join(', ')}`);
  return [found];
}

/** Piece by piece. */
async function rebuild(bus: ReadingBus, caller: Caller, model: RebuiltModel): Promise<Rebuilt> {
  const total: Rebuilt = { compared: 0, repaired: 0 };
  let after: RebuildPosition | null = null;
  let text = 0;
  do {
    const piece: Rebuilt & { next: RebuildPosition | null } = await bus.call(
      readModels.rebuild,
      caller,
      after ? { model, after } : { model },
      waiting,
    );
    total.compared += piece.compared;
    total.repaired += piece.repaired;
    after = piece.next;
    if (total.compared - text < reportsEvery) continue;
    text = total.compared;
    console.error(`${model}: ${total.compared} compared, ${total.repaired} repaired`);
  } while (after);
  return total;
}
