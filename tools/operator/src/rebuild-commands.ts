import {
  counters,
  countersModel,
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

type Model = RebuiltModel | typeof countersModel;
const models: readonly Model[] = [...rebuiltModels, countersModel];

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
    describe: `compare what contacts and analytics count and sum with what it follows from, and set it right, while everything runs: ${models.join(', ')}, or all`,
    run: async (bus, caller, { model }) => {
      const rebuilt: Partial<Record<Model, Rebuilt>> = {};
      for (const each of chosen(model)) rebuilt[each] = await rebuild(bus, caller, each);
      return rebuilt;
    },
  },
];

function chosen(only: string | undefined): readonly Model[] {
  if (!only) return models;
  const found = models.find((each) => each === only);
  if (!found) throw invalidMember(['model'], 'not_allowed', `must be one of ${models.join(', ')}`);
  return [found];
}

/** Piece by piece. */
async function rebuild(bus: ReadingBus, caller: Caller, model: Model): Promise<Rebuilt> {
  const total: Rebuilt = { compared: 0, repaired: 0 };
  let after: RebuildPosition | null = null;
  let text = 0;
  do {
    const piece = await step(bus, caller, model, after);
    total.compared += piece.compared;
    total.repaired += piece.repaired;
    after = piece.next;
    if (total.compared - text < reportsEvery) continue;
    text = total.compared;
    console.error(`${model}: ${total.compared} compared, ${total.repaired} repaired`);
  } while (after);
  return total;
}

function step(
  bus: ReadingBus,
  caller: Caller,
  model: Model,
  after: RebuildPosition | null,
): Promise<Rebuilt & { next: RebuildPosition | null }> {
  const from = after ? { after } : {};
  return model === countersModel
    ? bus.call(counters.rebuild, caller, from, waiting)
    : bus.call(readModels.rebuild, caller, { model, ...from }, waiting);
}
