import { DatabaseClock, type Database } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';
import { ContactHistoryRepository } from '../../activity/contact-history.repository.js';
import type { ContactsConfig } from '../../config.js';
import { MembershipFacts } from '../membership-facts.js';
import { SegmentBaselines } from '../segment-baselines.repository.js';
import { SegmentConditions } from '../segment-conditions.js';
import { SegmentDirtyRepository } from '../segment-dirty.repository.js';
import { SegmentEdgesRepository } from '../segment-edges.repository.js';
import { SegmentPreviews } from '../segment-previews.read-model.js';
import { SegmentsRepository } from '../segments.repository.js';
import { ScheduledSegments } from '../upkeep/scheduled-segments.js';
import { SegmentUpkeep } from '../upkeep/segment-upkeep.js';
import { Subjects } from '../upkeep/subjects.read-model.js';
import { UpkeepRepository } from '../upkeep/upkeep.repository.js';

const config = { segmentLiveMs: 5_000, segmentRefreshSeconds: 900 } as ContactsConfig;

/** Without its loop: each round is asked for. */
export function buildUpkeep(database: Database): SegmentUpkeep {
  const [clock, outbox, history] = [new DatabaseClock(database), new Outbox(database), new ContactHistoryRepository(database)];
  const facts = new MembershipFacts(outbox, new SegmentDirtyRepository(database), history, clock);
  return new SegmentUpkeep(
    database,
    clock,
    new UpkeepRepository(database),
    new Subjects(database),
    new SegmentsRepository(database),
    facts,
  );
}

export const buildConditions = (database: Database): SegmentConditions =>
  new SegmentConditions(
    new SegmentsRepository(database),
    new SegmentEdgesRepository(database),
    new SegmentPreviews(database),
    new SegmentBaselines(database),
    new DatabaseClock(database),
    config,
  );

/** Without its loop, too. */
export const buildSchedule = (database: Database): ScheduledSegments =>
  new ScheduledSegments(database, new SegmentsRepository(database), buildConditions(database), config);
