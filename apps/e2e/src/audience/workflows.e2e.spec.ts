import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  expectRefusal,
  pointerOn,
  prefixes,
  randomId,
  surfaces,
  withPosthorn,
  type Surface,
} from '../testing/bad-input.js';
import type { Answer } from '../testing/running-posthorn.js';

const suite = withPosthorn();
const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
interface Finding {
  pointer: string;
  code: string;
}
const noSuchVersion = { status: 404, code: 'resource_not_found', detail: 'No such version of the workflow' };
const noSuch = { status: 404, code: 'resource_not_found', detail: 'No such workflow' };

/** A new workflow on each surface. */
const shown = (surface: Surface, projectId: string) =>
  surface === 'v1'
    ? {
        id: uuid, name: 'Welcome', description: null, enabled: false, trigger_type: 'EVENT', event_name: 'signup', interval_ms: null,
        segment_id: null, allow_reentry: false, max_executions_per_hour: 100, exit_when: null, version: 1, step_count: 1, created_at: instant, updated_at: instant,
      }
    : {
        id: uuid, projectId, name: 'Welcome', description: null, enabled: false, triggerType: 'EVENT', eventName: 'signup', intervalMs: null,
        segmentId: null, allowReentry: false, maxExecutionsPerHour: 100, exitWhen: null, version: 1, stepCount: 1, createdAt: instant, updatedAt: instant,
      }; // prettier-ignore
const trigger = { id: uuid, name: 'Trigger', position: { x: 0, y: 0 }, type: 'TRIGGER', config: {} };
const graphs = (id: string): Record<Surface, object> => ({
  v1: { workflow_id: id, version: 1, steps: [{ ...trigger, template_id: null }], transitions: [] },
  legacy: {
    success: true,
    data: { workflowId: id, version: 1, steps: [{ ...trigger, templateId: null }], transitions: [] },
  },
});
const dataOf = (surface: Surface, { body }: Answer) => (surface === 'v1' ? body : body.data);
const bodies: Record<Surface, object> = {
  v1: { name: 'Welcome', trigger_type: 'EVENT', event_name: 'signup', max_executions_per_hour: 100 },
  legacy: { name: 'Welcome', triggerType: 'EVENT', eventName: 'signup', maxExecutionsPerHour: 100 },
};
const names: Record<Surface, Record<'triggerType' | 'eventName' | 'intervalMs', string>> = {
  v1: { triggerType: 'trigger_type', eventName: 'event_name', intervalMs: 'interval_ms' },
  legacy: { triggerType: 'triggerType', eventName: 'eventName', intervalMs: 'intervalMs' },
};

describe.each(surfaces)('workflows on %s', (surface) => {
  const path = `${prefixes[surface]}/workflows`;
  const { triggerType, eventName, intervalMs } = names[surface];
  const expectRefused = (answer: Answer, at: string, ...errors: [string, string][]) =>
    expectRefusal(answer, surface, at, {
      status: 422,
      errors: errors.map(([name, code]) => [pointerOn(surface, `/${name}`), code] as const),
    });
  let id: string;

  beforeAll(async () => {
    const answer = await suite.posthorn.post(path, bodies[surface]);
    const workflow = shown(surface, suite.posthorn.dev.projectId);
    expect([answer.status, answer.body]).toEqual([
      201,
      surface === 'v1' ? workflow : { success: true, data: workflow },
    ]);
    id = dataOf(surface, answer).id;
  });

  it('can be read, listed and updated', async () => {
    const got = await suite.posthorn.get(`${path}/${id}`);
    expect([got.status, dataOf(surface, got).id]).toEqual([200, id]);
    const { body } = await suite.posthorn.get(`${path}?limit=1`);
    expect(surface === 'v1' ? body.data[0] : body.data.items[0]).toEqual(dataOf(surface, got));
    const changed = await suite.posthorn.request('PATCH', `${path}/${id}`, {
      [triggerType]: 'SCHEDULE',
      [intervalMs]: 60_000,
    });
    expect([changed.status, dataOf(surface, changed)]).toEqual([
      200,
      expect.objectContaining({
        [triggerType]: 'SCHEDULE',
        [eventName]: null,
        [intervalMs]: 60_000,
        version: 1,
      }),
    ]);
    const unchanged = await suite.posthorn.request('PATCH', `${path}/${id}`, {});
    expect([unchanged.status, unchanged.text]).toEqual([200, changed.text]);
  });

  it('show their graph with the TRIGGER step', async () => {
    const { status, body } = await suite.posthorn.get(`${path}/${id}/graph`);
    expect([status, body]).toEqual([200, graphs(id)[surface]]);
  });

  it('can be copied with their graph, and deleted', async () => {
    const copy = dataOf(surface, await suite.posthorn.post(`${path}/${id}/clone`, undefined));
    expect(copy.name).toBe('Welcome (copy)');
    const location = `${path}/${copy.id}`;
    const [original, copied] = await Promise.all(
      [id, copy.id].map((each: string) => suite.posthorn.get(`${path}/${each}/graph`)),
    );
    expect(copied!.body).toEqual(graphs(copy.id)[surface]);
    expect(dataOf(surface, copied!).steps[0].id).not.toBe(dataOf(surface, original!).steps[0].id);
    const deleted = await suite.posthorn.request('DELETE', location);
    expect([deleted.status, deleted.body]).toEqual([
      200,
      surface === 'v1' ? { id: copy.id, deleted: true } : { success: true },
    ]);
    for (const removed of [location, `${location}/graph`])
      expectRefusal(await suite.posthorn.get(removed), surface, removed, noSuch);
  });

  it('take the graph that they answered, are enabled when it is configured, and paused', async () => {
    const made = dataOf(surface, await suite.posthorn.post(path, bodies[surface]));
    const location = `${path}/${made.id}`;
    const put = (graph: object) => suite.posthorn.request('PUT', `${location}/graph`, graph);
    const answered = dataOf(surface, await suite.posthorn.get(`${location}/graph`));
    const mail = { id: randomId, name: 'Mail', position: { x: 1, y: 2 }, type: 'SEND_EMAIL', config: {} };
    const withMail = { ...answered, steps: [...answered.steps, mail] };
    expect([(await put(answered)).status, dataOf(surface, await put(withMail)).version]).toEqual([200, 3]);
    const found = dataOf(surface, await suite.posthorn.post(`${location}/graph/validate`, withMail)).findings;
    expect(found.map(({ pointer, code }: Finding) => [pointer, code])).toEqual([
      ['/steps/1/config/subject', 'unconfigured'],
      ['/steps/1/config/body', 'unconfigured'],
      ['/steps/1', 'unreachable_step'],
    ]);
    const missing = [
      ['steps/1/config/subject', 'required'],
      ['steps/1/config/body', 'required'],
    ] as [string, string][];
    const resumed = `${location}/resume`;
    expectRefused(await suite.posthorn.post(resumed, undefined), resumed, ...missing);
    expectRefused(await suite.posthorn.request('PATCH', location, { enabled: true }), location, ...missing);
    await put({
      ...withMail,
      steps: [...answered.steps, { ...mail, config: { subject: 'Hi', body: 'Hello' } }],
    });
    const cancelled = surface === 'v1' ? 'cancelled_executions' : 'cancelledExecutions';
    for (const [action, enabled] of [
      ['resume', true],
      ['pause', false],
    ] as const)
      expect(dataOf(surface, await suite.posthorn.post(`${location}/${action}`, undefined))).toEqual({
        workflow: expect.objectContaining({ id: made.id, enabled }),
        [cancelled]: 0,
      });
    const current = dataOf(surface, await suite.posthorn.get(`${location}/graph`));
    const stored = `${location}/versions/${current['version'] as number}/graph`;
    expect(dataOf(surface, await suite.posthorn.get(stored))).toEqual(current);
    // Nobody went through the first one, so it is gone.
    for (const version of ['1', '9', '0', '-1', '1.0', '999999999', '9999999999', 'one', randomId]) {
      const unknown = `${location}/versions/${version}/graph`;
      expectRefusal(await suite.posthorn.get(unknown), surface, unknown, noSuchVersion);
    }
  });

  it('are exported as a document that can be imported', async () => {
    const document = dataOf(surface, await suite.posthorn.get(`${path}/${id}/export`));
    const copy = await suite.posthorn.post(`${path}/import`, document);
    expect(copy.status).toBe(201);
    const again = dataOf(surface, await suite.posthorn.get(`${path}/${dataOf(surface, copy).id}/export`));
    expect(again).toEqual(document);
    const broken = { ...document, graph: { ...document.graph, steps: [] } };
    expectRefused(await suite.posthorn.post(`${path}/import`, broken), `${path}/import`, [
      'graph/steps',
      'too_short',
    ]);
    await suite.posthorn.request('DELETE', `${path}/${dataOf(surface, copy).id}`);
  });

  it('are refused with an invalid trigger, or enabled at creation', async () => {
    const create = (changes: object) => suite.posthorn.post(path, { ...bodies[surface], ...changes });
    const patch = (changes: object) => suite.posthorn.request('PATCH', `${path}/${id}`, changes);
    expectRefused(await suite.posthorn.post(path, {}), path, ['name', 'required'], [triggerType, 'required']);
    expectRefused(await create({ [eventName]: null }), path, [eventName, 'required']);
    expectRefused(
      await create({ [triggerType]: 'SCHEDULE' }),
      path,
      [eventName, 'not_allowed'],
      [intervalMs, 'required'],
    );
    expectRefused(await create({ [triggerType]: 'SEGMENT' }), path, [triggerType, 'not_allowed']);
    expectRefused(await create({ [intervalMs]: 59_999 }), path, [intervalMs, 'out_of_range']);
    expectRefused(await create({ enabled: true }), path, ['enabled', 'not_allowed']);
    expectRefused(await create({ version: 7 }), path, ['version', 'unknown_field']);
    expectRefused(await patch({ [triggerType]: 'EVENT' }), `${path}/${id}`, [eventName, 'required']);
  });
});

describe('the number of workflows', () => {
  it('is exact on the legacy surface', async () => {
    const { body } = await suite.posthorn.get('/api/workflows?limit=1');
    expect(body.data).toMatchObject({ items: [expect.anything()], hasMore: true, total: 4 });
  });
});
