import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emails, simulatorDomain } from '@posthorn/contracts';
import { eventually } from '@posthorn/testing';
import { buildSend, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';
import { simulatedEventWork } from './simulator.js';

let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite({ SIMULATOR: 'true' });
});
afterAll(() => suite.stop());

/** Postgres refuses the reports of the simulator, and nothing else. */
async function refuseReports(): Promise<void> {
  await suite.database.query(
    `CREATE FUNCTION refuse_reports() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no reports today'; END $$`,
  );
  await suite.database.query(
    `CREATE TRIGGER refuse_reports BEFORE INSERT ON work_items FOR EACH ROW WHEN (NEW.kind = '${simulatedEventWork.name}')
     EXECUTE FUNCTION refuse_reports()`,
  );
}
const acceptReports = () => suite.database.query(`DROP FUNCTION refuse_reports CASCADE`);

describe('mail to the simulator', () => {
  it('waits and is tried again while its reports cannot be queued', async () => {
    const { caller, domain, projectId } = await suite.buildProject();
    await refuseReports();
    const { emails: accepted } = await suite.bus.call(
      emails.accept,
      caller,
      buildSend(domain, { to: `bounce+again@${simulatorDomain}` }),
    );
    const read = () => suite.bus.call(emails.get, caller, { id: accepted[0]!.id });
    await eventually(async () => (await read()).error !== null, 'the first attempt');
    expect(await read()).toMatchObject({ status: 'PENDING', error: 'data: no reports today' });
    await acceptReports();
    await eventually(async () => {
      await suite.database.query(
        `UPDATE deliveries SET due_at = now() WHERE project_id = $1 AND state = 'QUEUED'`,
        [projectId],
      );
      return (await read()).status === 'BOUNCED';
    }, 'the report');
    expect(suite.sink.messages).toEqual([]);
  });
});
