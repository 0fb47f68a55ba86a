import { Injectable } from '@nestjs/common';
import { Upkeep } from '@posthorn/messaging';
import { DeletedLists } from './deleted-lists.js';
import { ListCounts } from './list-counts.read-model.js';

const everyMs = 1_000;
const deltasAtOnce = 10_000;

/** Keeps the tail of unfolded deltas short, so that a count stays cheap. */
@Injectable()
export class FoldListCounts extends Upkeep {
  constructor(counts: ListCounts) {
    super('ListCounts', everyMs, async () => {
      let folded: number;
      do folded = await counts.fold(deltasAtOnce);
      while (folded === deltasAtOnce);
    });
  }
}

/** Takes away what a deletion in one commit would have kept its caller waiting for. */
@Injectable()
export class PurgeDeletedLists extends Upkeep {
  constructor(deleted: DeletedLists) {
    super('DeletedLists', everyMs, () => deleted.purge());
  }
}
