import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { campaignRecipients, campaigns, type Caller, type UpdateCampaign } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { DateTime } from 'luxon';
import { startCampaignsSuite, type CampaignsSuite } from '../testing/campaigns-suite.js';

let suite: CampaignsSuite;
beforeAll(async () => {
  suite = await startCampaignsSuite();
});
afterAll(() => suite.stop());

/** Zones in which it is now before, within and behind an hour of the day. */
const zones = ['Pacific/Kiritimati', 'Etc/GMT+12', 'Nowhere/Unknown', null];

const membersIn = (timeZones: readonly (string | null)[]) =>
  timeZones
    .map((timeZone, index) => ({
      contactId: newId(),
      email: `reader${index}@example.org`,
      subscribed: true,
      excluded: false,
      timeZone,
    }))
    .sort((a, b) => (a.contactId < b.contactId ? -1 : 1));

async function launched(caller: Caller, more: UpdateCampaign): Promise<string> {
  const content = { name: 'Spring', subject: 'Hello', body: '<p>Hi</p>', audienceType: 'ALL' as const };
  const { id } = await suite.bus.call(campaigns.create, caller, { ...content, ...more });
  await suite.bus.call(campaigns.send, caller, { id });
  await eventually(async () => (await rowsOf(id)).length === suite.members.length, 'everybody has a row');
  return id;
}

const rowsOf = (id: string) =>
  suite.database.query<{ email: string; dueAt: Date; timeZone: string }>(
    `SELECT email, due_at AS "dueAt", time_zone AS "timeZone" FROM recipients WHERE campaign_id = $1 ORDER BY email`,
    [id],
  );

const refusal = (caller: Caller, more: UpdateCampaign) =>
  suite.bus
    .call(campaigns.create, caller, { name: 'Spring', audienceType: 'ALL', ...more })
    .catch((error: { details: { errors: { path: string[]; code: string }[] } }) =>
      error.details.errors.map(({ path, code }) => `${path.join('/')} ${code}`),
    );

describe('a campaign with a timing', () => {
  it('is due at an hour of each recipient, and at the zone of the project for who names none', async () => {
    const { caller } = suite.buildProject();
    suite.members = membersIn(zones);
    const id = await launched(caller, { timing: { localTime: '09:00', timeZoneField: 'zone' } });
    for (const { dueAt, timeZone } of await rowsOf(id)) {
      expect(DateTime.fromJSDate(dueAt, { zone: timeZone }).toFormat('HH:mm')).toBe('09:00');
      expect(dueAt.getTime() - Date.now()).toBeLessThanOrEqual(24 * 3_600_000);
    }
    expect((await rowsOf(id)).map(({ timeZone }) => timeZone).sort()).toEqual([
      'Asia/Tokyo',
      'Asia/Tokyo',
      'Etc/GMT+12',
      'Pacific/Kiritimati',
    ]);
  });

  it('is spread, and hands over only what is due in a minute', async () => {
    const { caller } = suite.buildProject();
    suite.members = membersIn(Array<null>(600).fill(null));
    const id = await launched(caller, { timing: { spreadMinutes: 60 } });
    const soon = (await rowsOf(id)).filter(({ dueAt }) => dueAt.getTime() <= Date.now() + 60_000);
    await eventually(
      async () => suite.handedOver(id).length >= soon.length,
      'what is due soon is handed over',
    );
    const { secondsLeft } = await suite.bus.call(campaignRecipients.progress, caller, { id });
    expect([secondsLeft! > 3_000, secondsLeft! <= 3_600]).toEqual([true, true]);
    const late = suite.handedOver(id).filter(({ dueAt }) => dueAt!.getTime() > Date.now() + 61_000);
    expect([late.length, suite.handedOver(id).length < 60]).toEqual([0, true]);
    await suite.database.query(
      `UPDATE recipients SET due_at = now() WHERE campaign_id = $1 AND NOT handed_over`,
      [id],
    );
    await eventually(async () => suite.handedOver(id).length === 600, 'what became due is handed over');
  });

  it('puts off what would leave within quiet hours, also when it was due long before', async () => {
    const { caller } = suite.buildProject();
    const now = DateTime.now().setZone('Asia/Tokyo');
    // It is nine hours earlier there.
    suite.members = membersIn(['Asia/Tokyo', 'UTC']);
    const quietHours = {
      from: now.minus({ hours: 1 }).toFormat('HH:mm'),
      to: now.plus({ hours: 2 }).toFormat('HH:mm'),
    };
    const id = await launched(caller, { timing: { quietHours, timeZoneField: 'zone' } });
    const end = now.plus({ hours: 2 }).startOf('minute').toMillis();
    const quiet = (await rowsOf(id)).filter(({ timeZone }) => timeZone === 'Asia/Tokyo');
    expect(quiet.map(({ dueAt }) => dueAt.getTime())).toEqual(quiet.map(() => end));
    await suite.database.query(
      `UPDATE recipients SET due_at = now() - interval '1 hour' WHERE campaign_id = $1 AND time_zone = 'Asia/Tokyo'`,
      [id],
    );
    await eventually(
      async () =>
        (await rowsOf(id)).every(({ dueAt, timeZone }) => timeZone === 'UTC' || dueAt.getTime() === end),
      'they are put off again',
    );
    await eventually(async () => suite.handedOver(id).length > 0, 'the other is handed over');
    const [other, ...more] = suite.handedOver(id);
    expect([other!.email, more]).toEqual(['reader1@example.org', []]);
    // Nine hours later there: sending keeps it back in those hours whenever it comes to it.
    expect(other!.quiet).toMatchObject({ seconds: 3 * 3_600 });
  });

  it('is refused where its parts contradict each other', async () => {
    const { caller } = suite.buildProject();
    const variants = [{ name: 'A' }, { name: 'B', subject: 'Other' }];
    const test = { share: 20, winnerBy: 'OPENS' as const, afterMinutes: 60 };
    expect(await refusal(caller, { timing: {} })).toEqual(['timing not_allowed']);
    expect(await refusal(caller, { timing: { quietHours: { from: '22:00', to: '22:00' } } })).toEqual([
      'timing/quietHours/to not_allowed',
    ]);
    expect(await refusal(caller, { timing: { spreadMinutes: 9 }, variants, test })).toEqual([
      'timing not_allowed',
    ]);
  });
});
