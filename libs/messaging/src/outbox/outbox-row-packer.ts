import { maxEventBytes, maxEventItems } from '@posthorn/contracts';
import { newId } from '@posthorn/database';

interface OpenRow {
  id: string;
  items: number;
  bytes: number;
}

export class OutboxRowPacker {
  private readonly open = new Map<string, OpenRow>();

  rowIdFor(key: string, itemBytes: number): string {
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
