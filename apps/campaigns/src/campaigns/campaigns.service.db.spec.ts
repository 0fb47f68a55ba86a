import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  campaignEvents,
  campaigns,
  type Caller,
  type Campaign,
  type CreateCampaign,
  type UpdateCampaign,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { Bus, BusConnection } from '@posthorn/messaging';
import { startCampaignsSuite, type CampaignsSuite } from '../testing/campaigns-suite.js';

describe('campaigns', () => {
  let suite: CampaignsSuite;
  beforeAll(async () => {
    suite = await startCampaignsSuite();
  });
  afterAll(() => suite.stop());

  const create = (caller: Caller, wanted: Partial<CreateCampaign> = {}): Promise<Campaign> =>
    suite.bus.call(campaigns.create, caller, {
      name: 'Spring',
      audienceType: 'ALL',
      ...wanted,
    } as CreateCampaign);
  const get = (caller: Caller, id: string) => suite.bus.call(campaigns.get, caller, { id });
  const update = (caller: Caller, id: string, changes: UpdateCampaign) =>
    suite.bus.call(campaigns.update, caller, { id, ...changes });
  const put = (projectId: string, id: string, status: string) =>
    suite.database.query(`UPDATE campaigns SET status = $3 WHERE project_id = $1 AND id = $2`, [
      projectId,
      id,
      status,
    ]);
  const outcome = (call: Promise<unknown>) => call.catch((error: unknown) => error);
  const refused = (...errors: [string, string][]) => ({
    kind: 'invalid',
    code: 'validation_error',
    details: { errors: errors.map(([path, code]) => ({ path: [path], code })) },
  });
  const conflict = { kind: 'conflict', code: 'conflict' };

  it('are created as drafts without statistics, with or without content, and publish an event', async () => {
    const { caller, projectId } = suite.buildProject();
    const made = await create(caller);
    expect(made).toEqual({
      id: expect.any(String),
      projectId,
      name: 'Spring',
      description: null,
      subject: null,
      body: null,
      templateId: null,
      from: null,
      fromName: null,
      replyTo: null,
      emailCategory: 'MARKETING',
      audienceType: 'ALL',
      audienceCondition: null,
      segmentId: null,
      listId: null,
      excludeSegmentIds: [],
      excludeListIds: [],
      topicId: null,
      sendRate: null,
      timing: null,
      resendOfId: null,
      variants: null,
      test: null,
      status: 'DRAFT',
      pausedReason: null,
      scheduledAt: null,
      sentAt: null,
      stats: { totalRecipients: 0, sent: 0, delivered: 0, opened: 0, clicked: 0, bounced: 0, failed: 0 },
      createdAt: expect.any(Date),
      updatedAt: made.createdAt,
    });
    expect(await get(caller, made.id)).toEqual(made);
    expect(await suite.eventsOf(projectId, campaignEvents.changed)).toEqual([
      { campaignId: made.id, name: 'Spring', at: made.createdAt.toISOString(), seq: 1 },
    ]);
    const wanted = {
      description: 'The first one',
      subject: 'Hello',
      body: '<p>Hi</p>',
      from: 'news@example.test',
      fromName: 'News',
      replyTo: 'answers@elsewhere.example',
      emailCategory: 'TRANSACTIONAL',
    } as const;
    expect(await create(caller, wanted)).toMatchObject(wanted);
  });

  it('are created only with a verified sender', async () => {
    const { caller, projectId } = suite.buildProject();
    const made = await create(caller, { from: 'News@Example.TEST' });
    expect(made.from).toBe('news@example.test');
    await expect(create(caller, { from: 'news@stranger.example' })).rejects.toMatchObject(
      refused(['from', 'not_verified']),
    );
    await expect(update(caller, made.id, { from: 'news@stranger.example' })).rejects.toMatchObject(
      refused(['from', 'not_verified']),
    );
    expect(await get(caller, made.id)).toEqual(made);
    expect((await update(caller, made.id, { from: null })).from).toBeNull();
    expect(await suite.eventsOf(projectId, campaignEvents.changed)).toHaveLength(2);
  });

  it('refuse missing references and an audience that does not fit their type', async () => {
    const { caller, projectId } = suite.buildProject();
    const references: [Partial<CreateCampaign>, ...[string, string][]][] = [
      [{ segmentId: newId() }, ['segmentId', 'not_allowed']],
      [{ audienceType: 'SEGMENT' }, ['segmentId', 'required']],
      [{ audienceType: 'LIST' }, ['listId', 'required']],
      [{ audienceType: 'FILTERED' }, ['audienceCondition', 'required']],
      [{ audienceCondition: {} }, ['audienceCondition', 'not_allowed']],
    ];
    const made = await create(caller);
    for (const [wanted, ...errors] of references) {
      await expect(create(caller, wanted)).rejects.toMatchObject(refused(...errors));
      await expect(update(caller, made.id, wanted)).rejects.toMatchObject(refused(...errors));
    }
    expect(await suite.bus.call(campaigns.list, caller, { withTotal: true })).toMatchObject({
      items: [made],
      total: 1,
    });
    expect(await suite.eventsOf(projectId, campaignEvents.changed)).toHaveLength(1);
  });

  it('name only topics of the project that are not archived', async () => {
    const { caller } = suite.buildProject();
    const [news, old] = [newId(), newId()];
    suite.topics = new Map([
      [news, { archived: false }],
      [old, { archived: true }],
    ]);
    expect((await create(caller, { topicId: news })).topicId).toBe(news);
    const made = await create(caller);
    for (const [topicId, code] of [
      [newId(), 'not_found'],
      [old, 'not_allowed'],
    ] as const) {
      await expect(create(caller, { topicId })).rejects.toMatchObject(refused(['topicId', code]));
      await expect(update(caller, made.id, { topicId })).rejects.toMatchObject(refused(['topicId', code]));
    }
    expect((await update(caller, made.id, { topicId: news })).topicId).toBe(news);
    suite.topics = new Map([[news, { archived: true }]]);
    expect((await update(caller, made.id, { name: 'Summer' })).topicId).toBe(news);
    expect((await update(caller, made.id, { topicId: null })).topicId).toBeNull();
  });

  it('update: keeps absent members, clears members by null and publishes changes only', async () => {
    const { caller, projectId } = suite.buildProject();
    const made = await create(caller, { subject: 'Hello', description: 'First' });
    const changed = await update(caller, made.id, { name: 'Summer', description: null, body: '<p>Hi</p>' });
    expect(changed).toEqual({
      ...made,
      name: 'Summer',
      description: null,
      body: '<p>Hi</p>',
      updatedAt: changed.updatedAt,
    });
    expect(changed.updatedAt.getTime()).toBeGreaterThanOrEqual(made.updatedAt.getTime());
    expect(await update(caller, made.id, {})).toEqual(changed);
    expect(await update(caller, made.id, { name: 'Summer', subject: 'Hello' })).toEqual(changed);
    expect(await suite.eventsOf(projectId, campaignEvents.changed)).toMatchObject([
      { seq: 1, name: 'Spring' },
      { seq: 2, name: 'Summer', at: changed.updatedAt.toISOString() },
    ]);
  });

  it('update: is allowed in DRAFT and SCHEDULED only, regardless of the sender', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id } = await create(caller);
    await put(projectId, id, 'SCHEDULED');
    expect(await update(caller, id, { name: 'Later' })).toMatchObject({ name: 'Later', status: 'SCHEDULED' });
    for (const status of ['SENDING', 'PAUSED', 'SENT', 'CANCELLED']) {
      await put(projectId, id, status);
      for (const changes of [{ name: 'Too late' }, { from: 'news@stranger.example' }])
        await expect(update(caller, id, changes)).rejects.toMatchObject(conflict);
    }
    expect(await get(caller, id)).toMatchObject({ name: 'Later', from: null });
  });

  it('update: concurrent updates lose no change', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id } = await create(caller);
    const changes: UpdateCampaign[] = [
      { name: 'Other' },
      { description: 'Other' },
      { subject: 'Other' },
      { fromName: 'Other' },
      { from: 'other@example.test' },
    ];
    await Promise.all(changes.map((change) => update(caller, id, change)));
    expect(await get(caller, id)).toMatchObject(Object.assign({}, ...changes) as object);
    const events = await suite.eventsOf(projectId, campaignEvents.changed);
    expect(events.map(({ seq }) => seq).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('delete: deletes a draft once and publishes an event', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id } = await create(caller);
    for (const status of ['SCHEDULED', 'SENDING', 'PAUSED', 'SENT', 'CANCELLED']) {
      await put(projectId, id, status);
      await expect(suite.bus.call(campaigns.delete, caller, { id })).rejects.toMatchObject(conflict);
    }
    await put(projectId, id, 'DRAFT');
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => outcome(suite.bus.call(campaigns.delete, caller, { id }))),
    );
    expect(answers.filter((answer) => !(answer instanceof Error))).toEqual([{ id }]);
    expect(answers.filter((answer) => answer instanceof Error)).toEqual(
      Array.from({ length: 4 }, () => expect.objectContaining({ kind: 'not_found' })),
    );
    expect(await suite.eventsOf(projectId, campaignEvents.deleted)).toEqual([
      { campaignId: id, name: 'Spring', at: expect.any(String), seq: 2 },
    ]);
    expect((await suite.bus.call(campaigns.list, caller, { withTotal: true })).total).toBe(0);
  });

  it('clone: creates an independent draft, even if the original changes', async () => {
    const { caller, projectId } = suite.buildProject();
    const made = await create(caller, {
      name: 'x'.repeat(200),
      subject: 'Hello',
      body: '<p>Hi</p>',
      from: 'news@example.test',
    });
    await suite.database.query(
      `UPDATE campaigns SET status = 'SENT', sent_at = now(), scheduled_at = now() WHERE id = $1`,
      [made.id],
    );
    const copy = await suite.bus.call(campaigns.clone, caller, { id: made.id });
    const { id, createdAt, updatedAt } = copy;
    expect(copy).toEqual({
      ...made,
      id,
      createdAt,
      updatedAt,
      name: `${'x'.repeat(193)} (copy)`,
      status: 'DRAFT',
    });
    expect(id).not.toBe(made.id);
    expect(await suite.eventsOf(projectId, campaignEvents.changed)).toMatchObject([
      { campaignId: made.id },
      { campaignId: id, seq: 1 },
    ]);
  });

  it('a campaign of another project is not found', async () => {
    const [mine, theirs] = [suite.buildProject(), suite.buildProject()];
    const made = await create(theirs.caller);
    for (const request of [
      (id: string) => get(mine.caller, id),
      (id: string) => update(mine.caller, id, { name: 'Mine' }),
      (id: string) => suite.bus.call(campaigns.delete, mine.caller, { id }),
      (id: string) => suite.bus.call(campaigns.clone, mine.caller, { id }),
    ]) {
      const [foreign, random] = [await outcome(request(made.id)), await outcome(request(newId()))];
      expect(foreign).toMatchObject({ kind: 'not_found', code: 'resource_not_found' });
      expect(JSON.stringify(foreign)).toBe(JSON.stringify(random));
    }
    expect(await get(theirs.caller, made.id)).toEqual(made);
    expect(await suite.bus.call(campaigns.list, mine.caller, { withTotal: true })).toMatchObject({
      items: [],
      total: 0,
    });
    expect(
      await suite.database.query(`SELECT 1 FROM outbox WHERE project_id = $1`, [mine.projectId]),
    ).toEqual([]);
  });

  it('a call past its deadline has no effect', async () => {
    const { caller, projectId } = suite.buildProject();
    const made = await create(caller);
    const connection = await BusConnection.open({ url: suite.environment['NATS_URL']!, name: 'late' });
    const clock = { now: () => Promise.resolve(new Date(Date.now() - 60_000)) };
    const late = new Bus(connection, clock, undefined, 20_000);
    const idempotency = { key: 'late', operation: 'POST /api/v1/campaigns', bodyHash: 'a'.repeat(64) };
    const outcomes = await Promise.all(
      [
        late.call(campaigns.create, caller, { name: 'Late', audienceType: 'ALL', idempotency }),
        late.call(campaigns.update, caller, { id: made.id, name: 'Late' }),
        late.call(campaigns.clone, caller, { id: made.id }),
        late.call(campaigns.delete, caller, { id: made.id }),
      ].map(outcome),
    );
    await connection.close();
    expect(outcomes).toEqual(outcomes.map(() => expect.objectContaining({ kind: 'unavailable' })));
    expect(await suite.bus.call(campaigns.list, caller, { withTotal: true })).toMatchObject({
      items: [made],
      total: 1,
    });
    expect(
      await suite.database.query(`SELECT 1 FROM outbox WHERE project_id = $1`, [projectId]),
    ).toHaveLength(1);
    expect(
      await suite.database.query(`SELECT 1 FROM idempotency_keys WHERE project_id = $1`, [projectId]),
    ).toEqual([]);
  });
});
