import { maxEventBytes, maxEventItems } from '@posthorn/contracts';
import { newId } from '@posthorn/database';

interface OpenRow {
  id: string;
  items: number;
  bytes: number;
}

/** Which row of the outbox an item goes into: one event carries no more items, and no more bytes of them, than it may. */
export class EventRows {
  private readonly open = new Map<string, OpenRow>();

  /** The id of the row; items with the same key may share one. */
  idFor(key: string, itemBytes: number): string {
    let row = this.open.get(key);
    if (!row || row.items === maxEventItems || row.bytes + itemBytes > maxEventBytes) {
      row = { id: newId(), items: 0, bytes: 0 };
      this.open.set(key, row);
    }
    row.items += 1;
    row.bytes += itemBytes;
    return row.id;
  }
}
