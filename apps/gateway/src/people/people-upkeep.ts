import { Injectable } from '@nestjs/common';
import { Upkeep } from '@posthorn/messaging';
import { ExpiredRepository } from './expired.repository.js';

const everyMs = 10 * 60_000;

/** Forgets what has expired. */
@Injectable()
export class PeopleUpkeep extends Upkeep {
  constructor(expired: ExpiredRepository) {
    super('PeopleUpkeep', everyMs, () => expired.forget());
  }
}
