import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  noProject,
  emails,
  projectEvents,
  projects,
  serviceCaller,
  type ListProjects,
  type Project,
  type ProjectPage,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually, EventPublisher, standIn } from '@posthorn/testing';
import { DomainsRepository } from '../domains/domains.repository.js';
import { projectSnapshotWork } from './project-snapshot.work.js';
import { ProjectStates } from './project-states.read-model.js';
import { buildSend, startSendingSuite, type SendingSuite } from '../testing/sending-suite.js';

const at = new Date('2026-01-31T09:00:00Z');
const buildProject = (id = newId()): Project => ({
  id,
  name: 'A project',
  disabled: false,
  disabledReason: null,
  sandboxHandle: 'p-1',
  createdAt: at,
  updatedAt: at,
  seq: 1,
});

describe('the read model of projects', () => {
  let suite: SendingSuite;
  let gateway: EventPublisher;
  let owned: Project[] = [];
  let leave: (() => Promise<void>) | null = null;

  beforeAll(async () => {
    suite = await startSendingSuite();
    gateway = await EventPublisher.start(suite.connection, 'gateway');
  });
  afterEach(async () => {
    // A rebuild that is still on its way would fill the tables of the next test.
    await whole();
    await leave?.();
    leave = null;
    await suite.database.query('TRUNCATE project_states, read_models');
    await compare();
  });
  afterAll(async () => {
    await gateway.stop();
    await suite.stop();
  });

  /** As each start of the service does. */
  const compare = () =>
    suite.queue.enqueue(projectSnapshotWork, [{ projectId: noProject, key: projectSnapshotWork.name }]);

  /** The owner is there, and answers two projects a page. */
  const gatewayComes = async (projectsThere: Project[]) => {
    owned = projectsThere;
    leave = await standIn(
      suite.connection,
      projects.list,
      async ({ after }: ListProjects): Promise<ProjectPage> => {
        const first = after ? owned.findIndex(({ id }) => id === after.id) + 1 : 0;
        const items = owned.slice(first, first + 2);
        const hasMore = first + 2 < owned.length;
        return { items, hasMore, next: hasMore ? { at, id: items.at(-1)!.id } : null };
      },
    );
  };
  const known = () =>
    suite.database.query<{ id: string; disabled: boolean; seq: number }>(
      'SELECT project_id AS id, disabled, seq FROM project_states',
    );
  const knows = (wanted: Project[]) =>
    eventually(async () => {
      const states = new Map((await known()).map((state) => [state.id, state]));
      return wanted.every(
        ({ id, disabled, seq }) => states.get(id)?.disabled === disabled && states.get(id)?.seq === seq,
      );
    }, 'every project is known as it is');
  const whole = () =>
    eventually(async () => {
      const rows = await suite.database.query(
        'SELECT 1 FROM read_models WHERE rebuilt_at IS NOT NULL AND stale_at IS NULL',
      );
      return rows.length > 0;
    }, 'the read model is whole');
  const publish = ({ id, disabled, disabledReason, seq, tracking, language }: Project) =>
    gateway.publish(projectEvents.changed, id, [
      { id, disabled, disabledReason, seq, at, tracking, language },
    ]);

  it('is empty while the gateway is away: mail waits, and is sent once the snapshot arrives', async () => {
    const project = buildProject();
    const caller = serviceCaller('suite', project.id);
    await new DomainsRepository(suite.database, suite.queue).verify(project.id, 'waits.example');
    const to = 'ok-waits@sink.test';
    const { emails: accepted } = await suite.bus.call(
      emails.accept,
      caller,
      buildSend('waits.example', { to }),
    );
    await eventually(async () => {
      const [row] = await suite.database.query<{ later: boolean }>(
        `SELECT state = 'QUEUED' AND due_at > now() AS later FROM deliveries WHERE email_id = $1`,
        [accepted[0]!.id],
      );
      return row!.later;
    }, 'the worker has looked and put it off');
    expect(suite.sink.messages.filter((message) => message.to === to)).toEqual([]);
    await gatewayComes([project]);
    await knows([project]);
    await suite.database.query(`UPDATE deliveries SET due_at = now() WHERE project_id = $1`, [project.id]);
    await eventually(
      async () => suite.sink.messages.some((message) => message.to === to),
      'it is handed over',
    );
  });

  it('is rebuilt page by page when it is empty, although an event came first', async () => {
    const all = Array.from({ length: 5 }, () => buildProject());
    await publish(all[4]!);
    await knows([all[4]!]);
    await gatewayComes(all);
    await knows(all);
  });

  it('is rebuilt when it was emptied', async () => {
    const all = [buildProject(), buildProject()];
    await gatewayComes(all);
    await knows(all);
    await suite.database.query('TRUNCATE project_states');
    await compare();
    await knows(all);
  });

  it('is rebuilt when an event leaves a gap: another one may be missing too', async () => {
    const [published, missed] = [buildProject(), buildProject()];
    await gatewayComes([published, missed]);
    await knows([published, missed]);
    owned = [
      { ...published, seq: 4 },
      { ...missed, seq: 2, disabled: true },
    ];
    await publish({ ...published, seq: 3 });
    await knows(owned);
  });

  it('holds name, language and tracking, and values that an earlier release did not publish with the next snapshot', async () => {
    const project = {
      ...buildProject(),
      ...({ tracking: 'MARKETING_ONLY', language: 'de', timeZone: 'Europe/Berlin' } as const),
    };
    const states = new ProjectStates(suite.database);
    await states.put([{ id: project.id, disabled: false, seq: 1 }]);
    const settings = () => new ProjectStates(suite.database).settingsOf(project.id);
    expect(await settings()).toEqual({
      tracking: 'ENABLED',
      language: 'en',
      name: '',
      timeZone: 'UTC',
      postalAddress: '',
    });
    await gatewayComes([project]);
    await eventually(async () => (await settings()).language === 'de', 'the snapshot has come');
    expect(await settings()).toEqual({
      tracking: 'MARKETING_ONLY',
      language: 'de',
      name: project.name,
      timeZone: 'Europe/Berlin',
      postalAddress: project.postalAddress ?? '',
    });
    await publish({ ...project, seq: 2, tracking: 'DISABLED' });
    await eventually(async () => (await settings()).tracking === 'DISABLED', 'the event has come');
  });

  it('is complete while events arrive without a gap', async () => {
    const project = buildProject();
    await gatewayComes([project]);
    await knows([project]);
    await whole();
    for (const seq of [2, 3, 4]) await publish({ ...project, seq });
    await knows([{ ...project, seq: 4 }]);
    expect(await suite.database.query('SELECT stale_at FROM read_models')).toEqual([{ stale_at: null }]);
  });
});
