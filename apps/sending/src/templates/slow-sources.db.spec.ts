import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { templates, type Caller, type DomainError, type Template } from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import { Bus } from '@posthorn/messaging';
import { startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

let suite: SendingSuite;
let bus: Bus;
let busOfLateClock: Bus;
const behindMs = 15_000;
beforeAll(async () => {
  suite = await startSendingSuite();
  const clock = new DatabaseClock(suite.database);
  bus = new Bus(suite.connection, clock);
  busOfLateClock = new Bus(suite.connection, {
    now: async () => new Date((await clock.now()).getTime() - behindMs),
  });
});
afterAll(() => suite.stop());

const mjml = (texts: number) =>
  `<mjml><mj-body><mj-section><mj-column>${'<mj-text>x</mj-text>'.repeat(texts)}</mj-column></mj-section></mj-body></mjml>`;
const source = { name: 'Slow', subject: 'Hello', format: 'mjml' } as const;
const create = (caller: Caller, body: string): Promise<Template> =>
  bus.call(templates.create, caller, { ...source, body }, { timeoutMs: 30_000 });
const createWithin = (deadlineMs: number, caller: Caller, body: string): Promise<Template> =>
  busOfLateClock.call(templates.create, caller, { ...source, body }, { timeoutMs: deadlineMs + behindMs });
/** Takes longer than a compilation may, on any machine; a body may have a mebibyte. */
const tooLarge = mjml(47_000);

describe('MJML that takes long to compile', () => {
  it('holds up no other project', async () => {
    const [{ caller: slow }, { caller: other }] = [await suite.buildProject(), await suite.buildProject()];
    // The first compilations of a thread are slow, and count until others have outweighed them.
    for (let round = 0; round < 8; round += 1) await create(other, mjml(1));
    await expect(create(slow, tooLarge)).rejects.toMatchObject({ kind: 'invalid' });
    const endedMeanwhile = async () => {
      let ended = 0;
      const many = Promise.allSettled(
        Array.from({ length: 3 }, () => create(slow, tooLarge).finally(() => (ended += 1))),
      );
      for (let round = 0; round < 2; round += 1) await create(other, mjml(1));
      const meanwhile = ended;
      await many;
      return meanwhile;
    };
    let ended = await endedMeanwhile();
    // A busy machine makes a quick source slow, but not every time.
    for (let tries = 1; tries < 4 && ended >= 2; tries += 1) ended = await endedMeanwhile();
    expect(ended).toBeLessThan(2);
  });

  it('is refused where too much of the project waits already, or where its caller would wait too long', async () => {
    const { caller } = await suite.buildProject();
    const failures: DomainError[] = [];
    const tries = Array.from({ length: 30 }, () =>
      createWithin(10_000, caller, tooLarge).catch((error: DomainError) => failures.push(error)),
    );
    await Promise.all(tries);
    const refused = failures.filter(({ kind }) => kind === 'rate_limited');
    expect(refused.length).toBeGreaterThan(20);
    expect(refused[0]!.details.retryAfterSeconds).toBe(2);
    const { caller: other } = await suite.buildProject();
    expect(await create(other, mjml(1))).toMatchObject({ name: 'Slow' });
  });
});
