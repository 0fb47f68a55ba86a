import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { noProject, operatedMembers, projects } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { operatorOf, startGatewaySuite, type GatewaySuite } from '../testing/gateway-suite.js';
import { buildUser } from '../testing/people.js';

let suite: GatewaySuite;
beforeAll(async () => {
  suite = await startGatewaySuite();
});
afterAll(() => suite.stop());

const put = (projectId: string, email: string, role: 'OWNER' | 'ADMIN' | 'MEMBER') =>
  suite.bus.call(operatedMembers.put, operatorOf(projectId), { email, role });
const remove = (projectId: string, email: string) =>
  suite.bus.call(operatedMembers.remove, operatorOf(projectId), { email });
const rolesOf = async (projectId: string) => {
  const { items } = await suite.bus.call(operatedMembers.list, operatorOf(projectId), {});
  return items.map(({ email, role }) => [email, role]);
};

describe('a project of the operator', () => {
  it('has an owner from the start, or is not made', async () => {
    const { email, userId } = await buildUser(suite.database);
    const create = (owner: string) =>
      suite.bus.call(projects.create, operatorOf(noProject), { name: 'Shop', owner });
    const { id } = await create(email);
    expect(await rolesOf(id)).toEqual([[email, 'OWNER']]);
    const audited = await suite.database.query(
      `SELECT 1 FROM audit_entries WHERE project_id = $1 AND action = 'member.added' AND resource_id = $2`,
      [id, userId],
    );
    expect(audited).toHaveLength(1);
    const before = await suite.database.query(`SELECT id FROM projects`);
    await expect(create('nobody@example.test')).rejects.toMatchObject({ kind: 'not_found' });
    expect(await suite.database.query(`SELECT id FROM projects`)).toHaveLength(before.length);
  });
});

describe('the operator', () => {
  it('adds members, changes their roles and removes them, and each is done once', async () => {
    const { projectId } = await suite.buildProject();
    const [ada, grace] = [await buildUser(suite.database), await buildUser(suite.database)];
    expect(await put(projectId, ada.email, 'OWNER')).toMatchObject({ userId: ada.userId, role: 'OWNER' });
    await put(projectId, grace.email, 'MEMBER');
    expect(await put(projectId, grace.email, 'ADMIN')).toMatchObject({ role: 'ADMIN' });
    await put(projectId, grace.email, 'ADMIN');
    expect(await rolesOf(projectId)).toEqual([
      [grace.email, 'ADMIN'],
      [ada.email, 'OWNER'],
    ]);
    expect(await remove(projectId, grace.email)).toEqual({ id: grace.userId });
    await expect(remove(projectId, grace.email)).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('leaves the last owner, and knows people and projects', async () => {
    const { projectId } = await suite.buildProject();
    const { email } = await buildUser(suite.database);
    await put(projectId, email, 'OWNER');
    await expect(remove(projectId, email)).rejects.toMatchObject({ kind: 'conflict' });
    await expect(put(projectId, email, 'ADMIN')).rejects.toMatchObject({ kind: 'conflict' });
    await expect(put(projectId, 'nobody@example.test', 'ADMIN')).rejects.toMatchObject({
      kind: 'not_found',
      message: 'No user has this address',
    });
    await expect(put(newId(), email, 'ADMIN')).rejects.toMatchObject({
      kind: 'not_found',
      message: 'No such project',
    });
    expect(await rolesOf(projectId)).toEqual([[email, 'OWNER']]);
  });
});
