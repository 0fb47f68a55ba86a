import { DatabaseClock } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';
import { workOff, type ServiceFixture } from '@posthorn/testing';
import { ContactHistoryRepository } from '../../activity/contact-history.repository.js';
import type { ContactsConfig } from '../../config.js';
import { MembershipEvents } from '../members/membership-events.js';
import { SegmentBaselines } from '../segment-baselines.repository.js';
import { SegmentConditions } from '../segment-conditions.js';
import { SegmentDirtyRepository } from '../segment-dirty.repository.js';
import { SegmentEdgesRepository } from '../segment-edges.repository.js';
import { segmentRefreshWork, segmentUpkeepWork } from '../segment-kinds.js';
import { SegmentPreviews } from '../segment-previews.read-model.js';
import { SegmentsRepository } from '../segments.repository.js';
import { SegmentRefreshesWork, SegmentUpkeepWork } from '../upkeep/segment-upkeep.work.js';
import { SegmentUpkeep } from '../upkeep/segment-upkeep.js';
import { Subjects } from '../upkeep/subjects.read-model.js';
import { UpkeepRepository } from '../upkeep/upkeep.repository.js';

const config = { segmentLiveMs: 5_000, segmentRefreshSeconds: 900 } as ContactsConfig;

/** Upkeep without a running service. */
export function buildUpkeep({ database, queue }: ServiceFixture): SegmentUpkeep {
  const [clock, outbox, history] = [
    new DatabaseClock(database),
    new Outbox(database),
    new ContactHistoryRepository(database),
  ];
  const events = new MembershipEvents(outbox, new SegmentDirtyRepository(database), history, clock);
  return new SegmentUpkeep(
    clock,
    new UpkeepRepository(database),
    new Subjects(database),
    new SegmentsRepository(database, queue),
    events,
    queue,
  );
}

export const buildConditions = ({ database, queue }: ServiceFixture): SegmentConditions =>
  new SegmentConditions(
    new SegmentsRepository(database, queue),
    new SegmentEdgesRepository(database),
    new SegmentPreviews(database),
    new SegmentBaselines(database, queue),
    new DatabaseClock(database),
    config,
  );

/** Evaluates all waiting contacts while the service is stopped; locked ones keep waiting. */
export async function evaluateAll(fixture: ServiceFixture): Promise<void> {
  const { database, queue } = fixture;
  await database.query(
    `UPDATE work_items SET due_at = now() WHERE kind = $1 AND state = 'WAITING' AND key IS NULL`,
    [segmentUpkeepWork.name],
  );
  const rows = new UpkeepRepository(database);
  return workOff(
    fixture,
    (runner) =>
      new SegmentUpkeepWork(database, new DatabaseClock(database), buildUpkeep(fixture), rows, queue, runner),
    segmentUpkeepWork.name,
  );
}

/** Refreshes all segments of a project while the service is stopped. */
export async function recountAll(fixture: ServiceFixture, projectId: string): Promise<void> {
  const { database, queue } = fixture;
  const segments = await new SegmentsRepository(database, queue).dynamic(projectId);
  const requested = segments.map(({ id }) => ({ projectId, key: id, payload: { requested: true } }));
  await queue.enqueue(segmentRefreshWork, requested, 'REPLACE');
  const repository = new SegmentsRepository(database, queue);
  const clock = new DatabaseClock(database);
  await workOff(
    fixture,
    (runner) =>
      new SegmentRefreshesWork(database, repository, buildConditions(fixture), clock, config, runner),
    segmentRefreshWork.name,
  );
}
