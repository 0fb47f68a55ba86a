import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { ContactsConfig } from '../../config.js';
import { storedCondition } from '../parsing/parse-condition.js';
import { SegmentConditions } from '../segment-conditions.js';
import { SegmentsRepository } from '../segments.repository.js';

/** Segments that are too dear to be kept live are found anew from time to time, and others where it was asked. */
@Injectable()
export class ScheduledSegments {
  constructor(
    private readonly database: Database,
    private readonly segments: SegmentsRepository,
    private readonly conditions: SegmentConditions,
    private readonly config: ContactsConfig,
  ) {}

  /** The one that has waited longest; answers whether there was one. */
  async next(): Promise<boolean> {
    const waiting = await this.segments.claimRecount(this.config.segmentRefreshSeconds);
    if (!waiting) return false;
    const { projectId, id } = waiting;
    await this.database.transaction(async () => {
      await this.segments.lockProject(projectId);
      const row = await this.segments.find(projectId, id);
      const scheduled = row?.upkeep === 'SCHEDULED';
      if (!row || !(scheduled || row.recountAsked)) return;
      const condition = storedCondition(row.condition);
      // What is tracked must stay live.
      if (scheduled) await this.conditions.weigh(row, condition);
      await this.conditions.refresh(row, condition);
      await this.segments.refreshed(row);
    });
    return true;
  }
}
