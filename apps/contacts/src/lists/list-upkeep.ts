import { Injectable } from '@nestjs/common';
import { Upkeep } from '@posthorn/messaging';
import { DeletedLists } from './deleted-lists.js';

const everyMs = 1_000;

/** Takes away what a deletion in one commit would have kept its caller waiting for. */
@Injectable()
export class PurgeDeletedLists extends Upkeep {
  constructor(deleted: DeletedLists) {
    super('DeletedLists', everyMs, () => deleted.purge());
  }
}
