import {
  DomainError,
  noProject,
  apiKeys,
  domainOf,
  domains,
  parseMailbox,
  projects,
  systemProjectId,
  users,
  type Caller,
  type CreateApiKey,
} from '@posthorn/contracts';
import type { Bus } from '@posthorn/messaging';
import type { DevFile } from './data-directory.js';

type Keys = Pick<DevFile, 'projectId' | 'secretKey' | 'publicKey'>;
type Demo = Keys & Pick<DevFile, 'formKey' | 'user'>;

const asOperator = (projectId: string): Caller => ({
  projectId,
  actor: { kind: 'OPERATOR', id: 'npm start' },
});
const timeouts = { timeoutMs: 10_000 };

/** Reuses the demo project of an earlier start if it still exists. */
export async function ensureDemo(
  bus: Bus,
  known: (Keys & Partial<Demo>) | null,
  devDomains: string[],
): Promise<Demo> {
  const stored = known && (await isKnown(bus, known.projectId)) ? known : null;
  const keys = stored ?? (await createDemo(bus));
  // Data directories of earlier versions have neither a user nor a key for forms.
  const demo = {
    ...keys,
    formKey: stored?.formKey ?? (await createFormKey(bus, keys.projectId)),
    user: stored?.user ?? (await createUser(bus, keys.projectId)),
  };
  for (const domain of devDomains) await verify(bus, demo.projectId, domain);
  return demo;
}

async function isKnown(bus: Bus, projectId: string): Promise<boolean> {
  try {
    await bus.call(projects.get, asOperator(projectId), { id: projectId }, timeouts);
    return true;
  } catch (error) {
    if (error instanceof DomainError && error.kind === 'not_found') return false;
    throw error;
  }
}

async function createDemo(bus: Bus): Promise<Keys> {
  const { id: projectId } = await bus.call(
    projects.create,
    asOperator(noProject),
    { name: 'Demo' },
    timeouts,
  );
  const caller = asOperator(projectId);
  const secret = await bus.call(apiKeys.create, caller, { name: 'Demo secret key' }, timeouts);
  const open = await bus.call(
    apiKeys.create,
    caller,
    { name: 'Demo public key', legacyGrantPreset: 'SENDING_ONLY' },
    timeouts,
  );
  return { projectId, secretKey: secret.token, publicKey: open.token };
}

async function createFormKey(bus: Bus, projectId: string): Promise<string> {
  const wanted: CreateApiKey = {
    name: 'Demo key for forms',
    legacyGrantPreset: 'SENDING_ONLY',
    confine: { subscribeOnly: true },
  };
  return (await bus.call(apiKeys.create, asOperator(projectId), wanted, timeouts)).token;
}

/** If the address is taken by an earlier demo user, the new user gets another one. */
async function createUser(bus: Bus, projectId: string): Promise<Demo['user']> {
  const person = { name: 'Demo', verified: true, ownedProjectId: projectId };
  const create = (email: string) =>
    bus.call(users.create, asOperator(projectId), { ...person, email }, timeouts);
  try {
    const { email, password } = await create('demo@example.test');
    return { email, password: password! };
  } catch (error) {
    if (!(error instanceof DomainError && error.kind === 'conflict')) throw error;
    const { email, password } = await create(`demo-${projectId.slice(-8)}@example.test`);
    return { email, password: password! };
  }
}

/** Mail delivered to the development inbox needs no DNS verification. */
export async function vouchForSystemMail(bus: Bus, from: string): Promise<void> {
  const domain = domainOf(parseMailbox(from)?.email ?? '');
  if (domain) await verify(bus, systemProjectId, domain);
}

/** If an earlier demo project has the domain, the new one gets a subdomain. */
async function verify(bus: Bus, projectId: string, domain: string): Promise<void> {
  try {
    await bus.call(domains.verify, asOperator(projectId), { domain }, timeouts);
  } catch (error) {
    if (!(error instanceof DomainError && error.kind === 'conflict')) throw error;
    await bus.call(
      domains.verify,
      asOperator(projectId),
      { domain: `demo-${projectId.slice(-8)}.${domain}` },
      timeouts,
    );
  }
}
