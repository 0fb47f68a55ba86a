import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projectEvents, type MemberRole } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { startGatewaySuite, type GatewaySuite, type SignedIn } from '../testing/gateway-suite.js';

let suite: GatewaySuite;
beforeAll(async () => {
  suite = await startGatewaySuite();
});
afterAll(() => suite.stop());

interface Roles {
  projectId: string;
  owner: SignedIn;
  admin: SignedIn;
  member: SignedIn;
}

async function buildMembers(): Promise<Roles> {
  const { projectId } = await suite.buildProject();
  const [owner, admin, member] = [
    await suite.buildUser({ projectId, role: 'OWNER' }),
    await suite.buildUser({ projectId, role: 'ADMIN' }),
    await suite.buildUser({ projectId, role: 'MEMBER' }),
  ];
  return { projectId, owner, admin, member };
}

const pathOf = (projectId: string, { userId }: Pick<SignedIn, 'userId'>) =>
  `/api/v1/projects/${projectId}/members/${userId}`;
const remove = async (projectId: string, as: SignedIn, whom: Pick<SignedIn, 'userId'>) =>
  (await suite.request('DELETE', pathOf(projectId, whom), { as })).status;
const promote = async (projectId: string, as: SignedIn, whom: Pick<SignedIn, 'userId'>, role: string) =>
  (await suite.request('PATCH', pathOf(projectId, whom), { as, body: { role } })).status;
const rolesOf = async (projectId: string): Promise<Map<string, MemberRole>> => {
  const rows = await suite.database.query<{ user_id: string; role: MemberRole }>(
    `SELECT user_id, role FROM members WHERE project_id = $1`,
    [projectId],
  );
  return new Map(rows.map(({ user_id, role }) => [user_id, role]));
};

describe('members', () => {
  it('are listed by name and page for every member', async () => {
    const { projectId, owner, admin, member } = await buildMembers();
    const path = `/api/v1/projects/${projectId}/members`;
    const first = await suite.request('GET', `${path}?limit=2`, { as: member });
    const second = await suite.request('GET', `${path}?limit=2&after=${String(first.json['next_cursor'])}`, {
      as: member,
    });
    const listed = [...(first.json['data'] as object[]), ...(second.json['data'] as object[])];
    expect(listed).toEqual(
      [member, admin, owner].map(({ userId, email }) => ({
        user_id: userId,
        email,
        name: 'Ada',
        role: expect.any(String),
        created_at: expect.any(String),
      })),
    );
    expect((await suite.request('GET', path.replace('/v1', ''), { as: owner })).json).toMatchObject({
      data: { total: 3, hasMore: false },
    });
  });

  it('are managed in sessions only', async () => {
    const { projectId } = await buildMembers();
    const { token } = await suite.buildKey(projectId);
    const published = await suite.request('GET', `/api/v1/projects/${projectId}/members`, { key: token });
    expect([published.status, published.json['code']]).toEqual([401, 'invalid_session']);
  });

  it('change roles within their own rights, and each change is published', async () => {
    const { projectId, owner, admin, member } = await buildMembers();
    expect(await promote(projectId, member, member, 'ADMIN')).toBe(403);
    expect(await promote(projectId, admin, member, 'OWNER')).toBe(403);
    expect(await promote(projectId, admin, owner, 'MEMBER')).toBe(403);
    expect(await promote(projectId, admin, member, 'ADMIN')).toBe(200);
    expect(await promote(projectId, owner, member, 'OWNER')).toBe(200);
    expect(await promote(projectId, owner, member, 'KING')).toBe(422);
    expect((await suite.eventsOf(projectId, projectEvents.memberChanged)).map(({ role }) => role)).toEqual([
      'ADMIN',
      'OWNER',
    ]);
  });

  it('are removed by those who may, and can always leave', async () => {
    const { projectId, owner, admin, member } = await buildMembers();
    expect(await remove(projectId, member, admin)).toBe(403);
    expect(await remove(projectId, member, { userId: newId() })).toBe(403);
    expect(await remove(projectId, admin, owner)).toBe(403);
    expect(await remove(projectId, admin, { userId: newId() })).toBe(404);
    expect(await remove(projectId, admin, { userId: 'no-id' })).toBe(404);
    expect(await remove(projectId, admin, member)).toBe(200);
    expect(await remove(projectId, admin, admin)).toBe(200);
    expect(
      (await suite.eventsOf(projectId, projectEvents.memberRemoved)).map(({ userId }) => userId),
    ).toEqual([member.userId, admin.userId]);
    expect([...(await rolesOf(projectId)).keys()]).toEqual([owner.userId]);
  });

  it('include an owner: the last one can neither leave nor step down', async () => {
    const { projectId, owner, member } = await buildMembers();
    expect(await remove(projectId, owner, owner)).toBe(409);
    expect(await promote(projectId, owner, owner, 'ADMIN')).toBe(409);
    expect(await promote(projectId, owner, member, 'OWNER')).toBe(200);
    expect(await remove(projectId, owner, owner)).toBe(200);
    expect(await remove(projectId, member, member)).toBe(409);
  });

  it('keep one owner if two remove each other at the same time', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { projectId } = await suite.buildProject();
      const [one, other] = [await suite.buildUser({ projectId }), await suite.buildUser({ projectId })];
      const published = await Promise.all([remove(projectId, one, other), remove(projectId, other, one)]);
      expect(published.sort()).toEqual([200, 403]);
      expect((await rolesOf(projectId)).size).toBe(1);
    }
  });

  it('keep one owner if all leave or step down at the same time', async () => {
    const { projectId } = await suite.buildProject();
    const owners = await Promise.all(Array.from({ length: 6 }, () => suite.buildUser({ projectId })));
    const published = await Promise.all(
      owners.map((owner, index) =>
        index % 2 ? remove(projectId, owner, owner) : promote(projectId, owner, owner, 'MEMBER'),
      ),
    );
    expect(published.filter((status) => status === 409)).toHaveLength(1);
    expect([...(await rolesOf(projectId)).values()].filter((role) => role === 'OWNER')).toHaveLength(1);
  });

  it('transfer ownership in one step', async () => {
    const { projectId, owner, admin, member } = await buildMembers();
    const path = `/api/v1/projects/${projectId}/transfer-ownership`;
    const transfer = (as: SignedIn, user_id: string) =>
      suite.request('POST', path, { as, body: { user_id } });
    expect((await transfer(admin, admin.userId)).status).toBe(403);
    expect((await transfer(member, member.userId)).status).toBe(403);
    const [nobody, outsider] = [
      await transfer(owner, newId()),
      await transfer(owner, (await suite.buildUser()).userId),
    ];
    for (const { status, json } of [nobody, outsider])
      expect([status, json['errors']]).toMatchObject([422, [{ pointer: '/user_id' }]]);
    expect((await transfer(owner, member.userId)).json).toMatchObject({
      user_id: member.userId,
      role: 'OWNER',
    });
    expect(await rolesOf(projectId)).toEqual(
      new Map([
        [owner.userId, 'ADMIN'],
        [admin.userId, 'ADMIN'],
        [member.userId, 'OWNER'],
      ]),
    );
    expect((await transfer(owner, owner.userId)).status).toBe(403);
  });

  it('who were removed lose access within a second', async () => {
    const { projectId, owner, admin } = await buildMembers();
    const path = `/api/v1/projects/${projectId}`;
    expect((await suite.request('GET', path, { as: admin })).status).toBe(200);
    await remove(projectId, owner, admin);
    // Changes of members read the membership anew, without the cache.
    expect(await remove(projectId, admin, owner)).toBe(403);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const published = await suite.request('GET', path, { as: admin });
    expect([published.status, published.json['code']]).toEqual([403, 'project_access_denied']);
  });
});
