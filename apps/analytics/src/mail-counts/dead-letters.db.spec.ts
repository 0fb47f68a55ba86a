import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emailEvents, serviceCaller, analytics } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { Inbox } from '@posthorn/messaging';
import { runCommand } from '@posthorn/operator';
import { startAnalyticsSuite, type AnalyticsSuite } from '../testing/analytics-suite.js';

const subscriber = 'analytics-counts-sending-email-delivered';

describe('an operator', () => {
  let suite: AnalyticsSuite;
  beforeAll(async () => {
    suite = await startAnalyticsSuite();
  });
  afterAll(() => suite.stop());

  const posthorn = async (...texts: string[]) => {
    const said = { output: '', failed: '' };
    const code = await runCommand(texts, {
      environment: { ...process.env, NATS_URL: suite.natsUrl, POSTHORN_DATA_DIR: '/nonexistent' },
      print: (text) => (said.output += `${text}\n`),
      complain: (text) => (said.failed += `${text}\n`),
    });
    return { code, said: code === 0 ? (JSON.parse(said.output) as unknown) : null, failed: said.failed };
  };
  const bury = async (to: string, durable = subscriber) => {
    const projectId = newId();
    const items = [{ emailId: newId(), to, at: '2026-03-02T10:00:00Z', sourceType: 'TRANSACTIONAL' }];
    const payload = {
      id: newId(),
      name: emailEvents.delivered.name,
      version: 1,
      projectId,
      at: '2026-03-02T10:00:00Z',
      items,
    };
    await new Inbox(suite.database).storeDeadLetter({
      subscriber: durable,
      eventId: payload.id,
      event: payload.name,
      payload,
      error: 'once upon a time',
    });
    return { projectId, payload };
  };
  const letters = async () => {
    const { said: text } = await posthorn('dead-letters', 'list', '--service', 'analytics');
    return (
      text as { deadLetters: { id: string; projectId: string; error: string; attempts: number }[] }[]
    )[0]!.deadLetters;
  };
  const deliveredOf = async (projectId: string) => {
    const window = { from: new Date('2026-03-01T00:00:00Z'), to: new Date('2026-03-03T00:00:00Z') };
    const { data } = await suite.bus.call(analytics.timeseries, serviceCaller('spec', projectId), window);
    return data.reduce((sum, { delivered }) => sum + delivered, 0);
  };

  it('replays a dead letter exactly once', async () => {
    const { projectId } = await bury('ada@example.com');
    const [letter] = await letters();
    expect(letter).toMatchObject({ projectId, error: 'once upon a time', attempts: 1, subscriber });
    expect(await deliveredOf(projectId)).toBe(0);
    expect((await posthorn('dead-letters', 'replay', letter!.id)).said).toMatchObject({
      service: 'analytics',
      replayed: true,
    });
    expect(await deliveredOf(projectId)).toBe(1);
    expect(await letters()).toEqual([]);
    const again = await posthorn('dead-letters', 'replay', letter!.id, '--service', 'analytics');
    expect(again).toMatchObject({ code: 1, failed: expect.stringContaining('No such dead letter') });
  });

  it('sees that a failed replay remains with its error, and that the others are removed', async () => {
    const [sound, broken, orphan] = [
      await bury('ada@example.com'),
      await bury('no address'),
      await bury('ada@example.com', 'analytics-gone'),
    ];
    const { said: text } = await posthorn('dead-letters', 'replay', '--all', '--service', 'analytics');
    expect(
      (text as { replays: { replayed: boolean }[] }[])[0]!.replays.map(({ replayed }) => replayed),
    ).toEqual([true, false, false]);
    expect(await letters()).toMatchObject([
      { projectId: orphan.projectId, error: 'there is no subscriber analytics-gone any more', attempts: 2 },
      { projectId: broken.projectId, error: 'One or more fields are invalid', attempts: 2 },
    ]);
    expect(await deliveredOf(sound.projectId)).toBe(1);
    expect(await deliveredOf(orphan.projectId)).toBe(0);
  });

  it('can publish events again, and is told which services do not answer', async () => {
    const { said: text } = await posthorn('events', 'republish', '--since', '2h');
    expect(text).toContainEqual(expect.objectContaining({ service: 'analytics', events: 0 }));
    expect(text).toContainEqual({ service: 'workflows', error: 'The service is temporarily unavailable' });
  });

  it.each([
    [['dead-letters', 'replay'], 'id is required, or --all'],
    [['events', 'republish'], 'events republish needs --since'],
    [['events', 'republish', '--since', 'yesterday'], 'since must be an instant'],
    [['dead-letters', 'list', '--service', 'postoffice'], 'service must be one of gateway'],
    [['dead-letters', 'list', '--service', 'workflows'], 'The service is temporarily unavailable'],
    [['dead-letters', 'replay', 'nonsense'], 'id must be a UUID'],
  ])('gets an explanation of what is wrong with %p', async (texts, problem) => {
    expect(await posthorn(...texts)).toMatchObject({ code: 1, failed: expect.stringContaining(problem) });
  });
});
