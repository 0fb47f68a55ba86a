import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { suppressions } from '@posthorn/contracts';
import { AllowancesRepository } from '../../allowances/allowances.repository.js';
import { claimedMessages } from '../../testing/claimed-messages.js';
import { startSendingSuite, type SendingSuite } from '../../testing/sending-suite.js';
import { HandOffMarks } from './hand-off-marks.repository.js';
import { Pace } from '../claiming/pace.js';

let suite: SendingSuite;
beforeAll(async () => {
  suite = await startSendingSuite({ DELIVERY_PAUSED: 'true' });
});
afterAll(() => suite.stop());

describe('the mark', () => {
  it('counts only messages that may leave against the allowance', async () => {
    const { caller, projectId } = await suite.buildProject();
    const { workerId, messages } = await claimedMessages(suite.database, projectId, 5);
    await new AllowancesRepository(suite.database).set(projectId, 'MARKETING', 2);
    await suite.bus.call(suppressions.put, caller, { email: messages[0]!.recipient });
    const lost = { ...messages[1]!, leaseToken: 7 };
    const marks = new HandOffMarks(
      suite.database,
      new Pace({ provider: 'allowed', perSecond: 0 }),
      suite.hashes,
    );
    const verdicts = await marks.mark(workerId, [messages[0]!, lost, ...messages.slice(2)]);
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(['suppressed', 'lost', 'ok', 'ok', 'quota']);
  });
});
