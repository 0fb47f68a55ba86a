import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { projectEvents, users, type CreateUser } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { operatorOf } from '../testing/gateway-suite.js';
import { password, startPeopleSuite, type PeopleSuite } from '../testing/people-suite.js';

let suite: PeopleSuite;
beforeAll(async () => {
  suite = await startPeopleSuite();
});
afterAll(() => suite.stop());

const create = (user: CreateUser) => suite.bus.call(users.create, operatorOf(newId()), user);
const signIn = (email: string, secret: string) =>
  suite.visitor().post('/api/auth/sign-in/email', { email, password: secret });

it('are created by the operator with a generated password that is shown once', async () => {
  const made = await create({ email: 'First@Example.com', verified: true });
  expect(made).toMatchObject({ email: 'first@example.com', name: 'first@example.com', verified: true });
  expect((await signIn('first@example.com', made.password!)).status).toBe(200);
  expect(
    await create({ email: 'second@example.com', name: 'Second', verified: true, password }),
  ).toMatchObject({
    name: 'Second',
    password: null,
  });
  expect((await signIn('second@example.com', password)).status).toBe(200);
});

it('have to confirm their address unless the operator verified it', async () => {
  await create({ email: 'unconfirmed@example.com', password });
  expect((await signIn('unconfirmed@example.com', password)).json).toMatchObject({
    code: 'EMAIL_NOT_VERIFIED',
  });
});

it('own the given project, or are not created at all', async () => {
  const { projectId } = await suite.buildProject();
  const { id } = await create({
    email: 'owner@example.com',
    verified: true,
    password,
    ownedProjectId: projectId,
  });
  expect(await suite.eventsOf(projectId, projectEvents.memberAdded)).toMatchObject([
    { userId: id, role: 'OWNER' },
  ]);
  await expect(create({ email: 'nowhere@example.com', ownedProjectId: newId() })).rejects.toMatchObject({
    kind: 'not_found',
  });
  expect((await create({ email: 'nowhere@example.com' })).email).toBe('nowhere@example.com');
});

it('are not created twice', async () => {
  await create({ email: 'twice@example.com', password });
  await expect(create({ email: 'twice@example.com', password })).rejects.toMatchObject({ kind: 'conflict' });
});
