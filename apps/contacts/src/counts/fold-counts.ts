import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { Upkeep } from '@posthorn/messaging';
import { countDeltas, foldDeltas } from './delta-fold.js';

const everyMs = 1_000;
const atOnce = 10_000;

/** Keeps the tails of unfolded changes short, so that reading a count stays cheap. */
@Injectable()
export class FoldCounts extends Upkeep {
  constructor(database: Database) {
    super('Counts', everyMs, async () => {
      for (const each of countDeltas) while ((await foldDeltas(database, each, atOnce)) === atOnce);
    });
  }
}
