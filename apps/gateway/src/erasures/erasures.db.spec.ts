import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eraseIn, serviceCaller } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { AuditEntriesRepository, type Action } from '../audit/audit-entries.repository.js';
import { startGatewaySuite, type GatewaySuite } from '../testing/gateway-suite.js';

let suite: GatewaySuite;
beforeAll(async () => {
  suite = await startGatewaySuite();
});
afterAll(() => suite.stop());

it('the audit log keeps that an address was suppressed, but not the address', async () => {
  const [one, other] = [await suite.buildProject(), await suite.buildProject()];
  const entries = new AuditEntriesRepository(suite.database);
  const operation = (action: string, type: string, id: string): Action => ({
    at: null,
    actor: { kind: 'KEY', id: 'a key' },
    address: null,
    action,
    resource: { type, id },
    outcome: 'SUCCEEDED',
  });
  const actions = ['added', 'removed'].map((verb) =>
    operation(`suppression.${verb}`, 'suppression', 'ann@example.org'),
  );
  const stored = [
    operation('suppression.added', 'suppression', 'joann@example.org'),
    operation('contact.created', 'contact', newId()),
  ];
  for (const { projectId } of [one, other]) await entries.insert(projectId, [...actions, ...stored]);
  const requested = {
    erasureId: newId(),
    contactId: newId(),
    erasedAt: new Date(),
    email: 'ann@example.org',
  };
  while (!(await suite.bus.call(eraseIn.gateway, serviceCaller('contacts', one.projectId), requested)).done);
  const named = async (projectId: string) => {
    const rows = await suite.database.query<{ id: string }>(
      `SELECT resource_id AS id FROM audit_entries WHERE project_id = $1 AND resource_type = 'suppression' ORDER BY id`,
      [projectId],
    );
    return rows.map(({ id }) => id).sort();
  };
  expect(await named(one.projectId)).toEqual([
    'erased@erased.invalid',
    'erased@erased.invalid',
    'joann@example.org',
  ]);
  expect(await named(other.projectId)).toEqual(['ann@example.org', 'ann@example.org', 'joann@example.org']);
});
