import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { commandsOf } from '../testing/bad-input.js';
import { makeDataDirectory, RunningPosthorn } from '../testing/running-posthorn.js';

const [original, copy] = [makeDataDirectory(), makeDataDirectory({ isEmpty: true })];
const backups = mkdtempSync(join(tmpdir(), 'posthorn-backups-'));
const backup = join(backups, 'monday');
let posthorn: RunningPosthorn | undefined;
afterAll(async () => {
  await posthorn?.stop();
  for (const { remove } of [original, copy]) remove();
  rmSync(backups, { recursive: true, force: true });
});

const make = () => commandsOf(original.path)('backup', '--to', backup);
const restore = () => commandsOf(copy.path)('restore', '--from', backup);
const refused = (text: string): object => ({
  status: 1,
  stdout: '',
  stderr: expect.stringContaining(text),
});

it('is made while everything runs, and restored into a new data directory', async () => {
  posthorn = await RunningPosthorn.start(original.path, { DELIVERY_PAUSED: 'true' }, []);
  const { secretKey } = posthorn.dev;
  const { body: email } = await posthorn.post('/api/v1/emails', {
    to: 'ada@backup.example',
    subject: 'Kept',
    body: '<p>Grüße 🎉 \\N	tab</p>',
  });
  const { body: contact } = await posthorn.post('/api/v1/contacts', {
    email: 'grace@backup.example',
    custom_fields: { city: 'Zürich', note: 'a\\b\nc' },
  });
  const made = await make();
  expect([made.status, existsSync(join(backup, 'manifest.json'))]).toEqual([0, true]);
  const later = await posthorn.post('/api/v1/contacts', { email: 'later@backup.example' });
  expect(await make()).toEqual(refused('exists already'));
  await posthorn.stop();

  expect(await restore()).toEqual(refused('copy its secret.key'));
  copyFileSync(join(original.path, 'secret.key'), join(copy.path, 'secret.key'));
  const restored = await restore();
  expect([restored.status, restored.stderr]).toEqual([0, expect.stringMatching(/^sending: [1-9]\d* rows$/m)]);
  expect(JSON.parse(restored.stdout)).toMatchObject({ takenAt: expect.any(String) });
  expect((await restore()).status).toBe(0);

  posthorn = await RunningPosthorn.start(copy.path, { DELIVERY_PAUSED: 'true' }, []);
  const read = async (path: string) => {
    const { baseUrl } = posthorn!.dev;
    const response = await fetch(`${baseUrl}/api/v1/${path}`, {
      headers: { authorization: `Bearer ${secretKey}` },
    });
    return response.status === 200 ? ((await response.json()) as object) : response.status;
  };
  expect(await read(`emails/${email.id}`)).toMatchObject({ id: email.id, subject: 'Kept', status: 'PENDING' });
  expect(await read(`contacts/${contact.id}`)).toEqual(contact);
  expect(await read(`contacts/${later.body.id}`)).toBe(404);
  expect(await restore()).toEqual(refused('has rows already'));
}, 180_000);

it('of another secret key, or of nothing, is refused', async () => {
  const other = makeDataDirectory({ isEmpty: true });
  try {
    const run = commandsOf(other.path, { POSTHORN_SECRET_KEY: 'another-secret-key-0123456789-0123456789' });
    expect(await run('restore', '--from', backup)).toEqual(refused('another secret key'));
    expect(await run('restore', '--from', backups)).toEqual(refused('not a whole backup'));
  } finally {
    other.remove();
  }
}, 60_000);
