import { maxEventBytes, maxEventItems } from '@posthorn/contracts';
import { newId } from '@posthorn/database';

interface OpenRow {
  id: string;
  items: number;
  bytes: number;
}

/** Assigns items to outbox rows within the limits of one event. */
export class EventRows {
  private readonly open = new Map<string, OpenRow>();

  /** Items with the same key may share a row. */
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
