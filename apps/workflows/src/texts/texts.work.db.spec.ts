import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { workflows, type Execution } from '@posthorn/contracts';
import { eventually } from '@posthorn/testing';
import { startWork } from '../work-kinds.js';
import { startEngineSuite, type EngineSuite } from '../testing/engine-suite.js';

let suite: EngineSuite;
beforeAll(async () => {
  suite = await startEngineSuite();
});
afterAll(() => suite.stop());

const custom = {
  first: {
    type: 'SEND_EMAIL' as const,
    config: {
      subject: 'Hi',
      body: 'Hello',
      recipient: { type: 'CUSTOM', customEmail: '{{ contact.email }}' },
    },
    next: 'second',
  },
  second: { type: 'SEND_EMAIL' as const, config: { subject: 'Again', body: 'Hello' } },
};

describe('texts of steps', () => {
  it('are rendered apart: those of one project that take long delay no other', async () => {
    const slow = suite.buildProject();
    const { id: workflowId } = await suite.enable(slow.caller, custom);
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    suite.slowTexts.set(slow.projectId, () => opened);
    const entries = Array.from({ length: 1_100 }, () => ({
      contactId: suite.addContact(slow.projectId).id,
      event: null,
    }));
    const parts = Array.from({ length: 5 }, (_, index) => entries.slice(index * 250, (index + 1) * 250));
    await suite.queue.enqueue(
      startWork,
      parts.map((part) => ({ projectId: slow.projectId, payload: { workflowId, entries: part } })),
    );
    await eventually(
      async () => {
        const [row] = await suite.database.query<{ count: number }>(
          `SELECT count(*)::int AS count FROM step_texts WHERE project_id = $1`,
          [slow.projectId],
        );
        return row!.count === 1_100 ? row : null;
      },
      'all wait for their texts',
      60_000,
    );
    const { caller, projectId } = suite.buildProject();
    const { id } = await suite.enable(caller, custom);
    const execution = await suite.start(caller, id, suite.addContact(projectId).id);
    await suite.until(caller, execution, 'COMPLETED');
    const [begun] = await suite.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM executions WHERE project_id = $1 AND ended_at IS NOT NULL`,
      [slow.projectId],
    );
    expect(begun!.count).toBe(0);
    open();
    await eventually(async () => {
      const [row] = await suite.database.query<{ ended: number; texts: number }>(
        `SELECT count(*)::int AS ended, (SELECT count(*) FROM step_texts t JOIN executions x ON x.id = t.execution_id AND x.ended_at IS NOT NULL)::int AS texts
         FROM executions WHERE project_id = $1 AND status = 'COMPLETED'`,
        [slow.projectId],
      );
      expect(row!.texts).toBe(0);
      return row!.ended >= 30 ? row : null;
    }, 'they go on');
    await suite.bus.call(workflows.pause, slow.caller, { id: workflowId });
  });

  it('that fail unforeseen or temporarily, or cannot be stored as they are, hold up no others of the project', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id } = await suite.enable(caller, {
      only: {
        ...custom.first,
        config: {
          ...custom.first.config,
          recipient: { type: 'CUSTOM', customEmail: '{{ contact.data.to }}' },
        },
        next: undefined,
      },
    });
    const broken = suite.addContact(projectId, { to: 'broken' });
    const away = suite.addContact(projectId, { to: 'away' });
    const nul = suite.addContact(projectId, { to: 'a\u0000b' });
    const good = suite.addContact(projectId, { to: 'someone@example.org' });
    suite.brokenTexts.add('broken');
    suite.awayTexts.add('away');
    const begun = [];
    for (const contact of [broken, away, nul, good]) begun.push(await suite.start(caller, id, contact.id));
    const [ofBroken, ofAway, ofNul, ofGood] = begun as [Execution, Execution, Execution, Execution];
    await suite.until(caller, ofGood, 'COMPLETED');
    expect(await suite.until(caller, ofBroken, 'FAILED')).toMatchObject({
      reason: 'only: It could not be rendered',
    });
    await suite.until(caller, ofNul, 'FAILED');
    suite.awayTexts.clear();
    await suite.until(caller, ofAway, 'FAILED');
  });
});
