import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projectEvents } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { hashOfToken, mintLinkToken } from '../identity/tokens.js';
import {
  startGatewaySuite,
  type GatewaySuite,
  type SignedIn,
  type Published,
} from '../testing/gateway-suite.js';

let suite: GatewaySuite;
beforeAll(async () => {
  suite = await startGatewaySuite();
});
afterAll(() => suite.stop());

const buildOwner = async () => {
  const { projectId } = await suite.buildProject();
  return { projectId, owner: await suite.buildUser({ projectId }) };
};
const invite = (projectId: string, as: SignedIn, email: string, role = 'MEMBER'): Promise<Published> =>
  suite.request('POST', `/api/v1/projects/${projectId}/members`, { as, body: { email, role } });
const accept = (as: SignedIn, token: string): Promise<Published> =>
  suite.request('POST', '/api/v1/invitations/accept', { as, body: { token } });

/** The mail cannot be read here, so the row gets a known token. */
async function linkOf(invitationId: unknown): Promise<string> {
  const token = mintLinkToken();
  await suite.database.query(`UPDATE invitations SET token_hash = $2 WHERE id = $1`, [
    invitationId,
    hashOfToken(token),
  ]);
  return token;
}

async function buildInvited(role = 'MEMBER') {
  const { projectId, owner } = await buildOwner();
  const invited = await suite.buildUser();
  const { json } = await invite(projectId, owner, invited.email, role);
  return { projectId, owner, invited, id: json['id'] as string, token: await linkOf(json['id']) };
}

const expectNoInvitation = ({ status, json }: Published) =>
  expect([status, json['code'], json['detail']]).toEqual([404, 'resource_not_found', 'No such invitation']);

describe('an invitation', () => {
  it('makes the person with its address a member, once', async () => {
    const { projectId, invited, token } = await buildInvited('ADMIN');
    const accepted = await accept(invited, token);
    expect([accepted.status, accepted.json]).toEqual([200, { project_id: projectId, role: 'ADMIN' }]);
    expect(await suite.eventsOf(projectId, projectEvents.memberAdded)).toMatchObject([
      { userId: invited.userId, role: 'ADMIN' },
    ]);
    expectNoInvitation(await accept(invited, token));
    const [row] = await suite.database.query<{ count: number }>(
      `SELECT count(*) FROM invitations WHERE project_id = $1`,
      [projectId],
    );
    expect(row!.count).toBe(0);
  });

  it('is accepted once, also under concurrency', async () => {
    const { projectId, invited, token } = await buildInvited();
    const published = await Promise.all(Array.from({ length: 8 }, () => accept(invited, token)));
    expect(published.map(({ status }) => status).sort()).toEqual([
      200,
      ...Array.from({ length: 7 }, () => 404),
    ]);
    expect(await suite.eventsOf(projectId, projectEvents.memberAdded)).toHaveLength(1);
  });

  it('cannot be accepted by others, from an unverified address, after seven days, or after it was revoked', async () => {
    const { projectId, owner, invited, id, token } = await buildInvited();
    expectNoInvitation(await accept(await suite.buildUser(), token));
    expectNoInvitation(await accept(owner, token));
    const unverified = await suite.buildUser({ verified: false });
    const theirs = await invite(projectId, owner, unverified.email);
    expectNoInvitation(await accept(unverified, await linkOf(theirs.json['id'])));
    for (const bad of [`${token}x`, token.slice(1), mintLinkToken(), 'x'])
      expectNoInvitation(await accept(invited, bad));
    await suite.database.query(`UPDATE invitations SET expires_at = now() WHERE id = $1`, [id]);
    expectNoInvitation(await accept(invited, token));
    await suite.database.query(
      `UPDATE invitations SET expires_at = now() + interval '1 hour' WHERE id = $1`,
      [id],
    );
    expect(
      (await suite.request('DELETE', `/api/v1/projects/${projectId}/invitations/${id}`, { as: owner })).json,
    ).toEqual({
      id,
      deleted: true,
    });
    expectNoInvitation(await accept(invited, token));
  });

  it('refuses malformed tokens', async () => {
    const { invited } = await buildInvited();
    for (const body of [
      {},
      { token: '' },
      { token: 'x'.repeat(201) },
      { token: 'a\0b' },
      { token: ['x', 'y'] },
      { token: 7 },
    ]) {
      expect((await suite.request('POST', '/api/v1/invitations/accept', { as: invited, body })).status).toBe(
        422,
      );
    }
    expect((await accept(invited, 'x'.repeat(1024 * 1024 + 1))).status).toBe(413);
  });

  it('gets the same response for known, unknown and invited addresses and for members', async () => {
    const { projectId, owner } = await buildOwner();
    const known = await suite.buildUser();
    const member = await suite.buildUser({ projectId, role: 'MEMBER' });
    const shape = (email: string) => ({
      id: expect.any(String),
      email,
      role: 'MEMBER',
      created_at: expect.any(String),
      expires_at: expect.any(String),
    });
    for (const email of [known.email, 'nobody@example.com', member.email, owner.email]) {
      const published = await invite(projectId, owner, email);
      expect([published.status, published.json]).toEqual([201, shape(email)]);
      expect((await invite(projectId, owner, ` ${email.toUpperCase()} `)).json).toEqual(published.json);
    }
    const [row] = await suite.database.query<{ id: string }>(
      `SELECT id FROM invitations WHERE project_id = $1 AND email = $2`,
      [projectId, owner.email],
    );
    expect((await accept(owner, await linkOf(row!.id))).json).toEqual({
      project_id: projectId,
      role: 'OWNER',
    });
  });

  it('exists once per address, also under concurrency; a second link replaces the first', async () => {
    const { projectId, owner } = await buildOwner();
    const published = await Promise.all(
      ['MEMBER', 'ADMIN', 'MEMBER', 'ADMIN'].map((role) => invite(projectId, owner, 'one@example.com', role)),
    );
    expect(new Set(published.map(({ json }) => json['id'])).size).toBe(1);
    const first = await buildInvited();
    await suite.database.query(
      `UPDATE invitations SET sent_at = sent_at - interval '2 minutes' WHERE id = $1`,
      [first.id],
    );
    expect((await invite(first.projectId, first.owner, first.invited.email)).json['id']).toBe(first.id);
    expectNoInvitation(await accept(first.invited, first.token));
  });

  it('can be sent, listed and revoked by admins and owners, and never grants ownership', async () => {
    const { projectId, owner } = await buildOwner();
    const member = await suite.buildUser({ projectId, role: 'MEMBER' });
    expect((await invite(projectId, member, 'a@example.com')).status).toBe(403);
    expect((await invite(projectId, owner, 'a@example.com', 'OWNER')).status).toBe(422);
    expect((await invite(projectId, owner, 'no address')).status).toBe(422);
    await invite(projectId, owner, 'a@example.com');
    const list = `/api/v1/projects/${projectId}/invitations`;
    expect((await suite.request('GET', list, { as: member })).status).toBe(403);
    const listed = await suite.request('GET', list, { as: owner });
    expect(listed.json).toMatchObject({
      data: [{ email: 'a@example.com', role: 'MEMBER' }],
      has_more: false,
    });
    expect(listed.text).not.toContain('token');
    for (const id of [newId(), (await buildInvited()).id, 'no-id']) {
      expectNoInvitation(await suite.request('DELETE', `${list}/${id}`, { as: owner }));
    }
  });

  it('ends with the membership of its sender', async () => {
    const { projectId, owner } = await buildOwner();
    const admin = await suite.buildUser({ projectId, role: 'ADMIN' });
    const invited = await suite.buildUser();
    const token = await linkOf((await invite(projectId, admin, invited.email)).json['id']);
    await suite.request('DELETE', `/api/v1/projects/${projectId}/members/${admin.userId}`, { as: owner });
    expectNoInvitation(await accept(invited, token));
  });

  it('ends where its sender is demoted to a role that may not invite, and stays where the new role may', async () => {
    const { projectId, owner } = await buildOwner();
    const [admin, other] = [
      await suite.buildUser({ projectId, role: 'ADMIN' }),
      await suite.buildUser({ projectId }),
    ];
    const invitedBy = async (as: SignedIn) => {
      const invited = await suite.buildUser();
      const { json } = await invite(projectId, as, invited.email, 'ADMIN');
      return { invited, token: await linkOf(json['id']) };
    };
    const [byAdmin, byOther] = [await invitedBy(admin), await invitedBy(other)];
    const change = (userId: string, role: string) =>
      suite.request('PATCH', `/api/v1/projects/${projectId}/members/${userId}`, {
        as: owner,
        body: { role },
      });
    expect((await change(admin.userId, 'MEMBER')).status).toBe(200);
    expect((await change(other.userId, 'ADMIN')).status).toBe(200);
    // A later promotion does not bring it back.
    expect((await change(admin.userId, 'ADMIN')).status).toBe(200);
    expectNoInvitation(await accept(byAdmin.invited, byAdmin.token));
    expect((await accept(byOther.invited, byOther.token)).status).toBe(200);
  });

  it('is not accepted where its sender may not invite any more', async () => {
    const { projectId } = await buildOwner();
    const admin = await suite.buildUser({ projectId, role: 'ADMIN' });
    const invited = await suite.buildUser();
    const { json } = await invite(projectId, admin, invited.email);
    const token = await linkOf(json['id']);
    await suite.database.query(`UPDATE members SET role = 'MEMBER' WHERE user_id = $1`, [admin.userId]);
    expectNoInvitation(await accept(invited, token));
  });

  it('is limited to a hundred open ones', async () => {
    const { projectId, owner } = await buildOwner();
    await suite.database.query(
      `INSERT INTO invitations (project_id, id, email, role, token_hash, created_at, sent_at, expires_at)
       SELECT $1, gen_random_uuid(), 'p' || n || '@example.com', 'MEMBER', md5(n::text) || md5($2 || n::text), now(), now() - interval '2 hours', now() + interval '1 day'
       FROM generate_series(1, 99) AS n`,
      [projectId, projectId],
    );
    const published = await Promise.all([
      invite(projectId, owner, 'x@example.com'),
      invite(projectId, owner, 'y@example.com'),
    ]);
    expect(published.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect((await invite(projectId, owner, 'p1@example.com', 'ADMIN')).status).toBe(201);
    await suite.database.query(
      `UPDATE invitations SET expires_at = now() WHERE project_id = $1 AND email LIKE 'p2%'`,
      [projectId],
    );
    expect((await invite(projectId, owner, 'z@example.com')).status).toBe(201);
  });

  it('cannot be used to flood an address', async () => {
    const { projectId, owner, invited, id, token } = await buildInvited();
    const fix = await invite(projectId, owner, invited.email, 'ADMIN');
    expect([fix.status, fix.json]).toMatchObject([201, { id, role: 'ADMIN' }]);
    const withdrawn = await suite.request('DELETE', `/api/v1/projects/${projectId}/invitations/${id}`, {
      as: owner,
    });
    expect([withdrawn.status, withdrawn.text]).toEqual([200, expect.stringContaining('deleted')]);
    const again = await invite(projectId, owner, invited.email);
    expect([again.status, again.json['code']]).toEqual([429, 'rate_limited']);
    expect(again.json['detail']).toMatch(/ one per minute to an address; try again in \d+ seconds$/);
    expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(50);
    expectNoInvitation(await accept(invited, token));
    await suite.database.query(
      `UPDATE invitations SET sent_at = sent_at - interval '2 minutes' WHERE id = $1`,
      [id],
    );
    const later = await invite(projectId, owner, invited.email);
    expect(later.status).toBe(201);
    expect((await accept(invited, await linkOf(later.json['id']))).status).toBe(200);
  });

  it('is limited to fifty an hour, also under concurrency', async () => {
    const { projectId, owner } = await buildOwner();
    await suite.database.query(
      `INSERT INTO invitations (project_id, id, email, role, token_hash, created_at, sent_at, expires_at)
       SELECT $1, gen_random_uuid(), 'p' || n || '@example.com', 'MEMBER', md5(n::text) || md5($2 || n::text), now(), now(), now()
       FROM generate_series(1, 48) AS n`,
      [projectId, projectId],
    );
    const published = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) => invite(projectId, owner, `${name}@example.com`)),
    );
    expect(published.map(({ status }) => status).sort()).toEqual([201, 201, 429, 429]);
  });
});
