import { Injectable } from '@nestjs/common';
import { Upkeep } from '@posthorn/messaging';
import { SystemContentsRepository } from './system-contents.repository.js';

const everyMs = 5_000;

/** Forgets what system mails said once they are delivered or given up (guarantees.md §6). */
@Injectable()
export class SystemContents extends Upkeep {
  constructor(rows: SystemContentsRepository) {
    super('SystemContents', everyMs, () => rows.forgetDelivered());
  }
}
