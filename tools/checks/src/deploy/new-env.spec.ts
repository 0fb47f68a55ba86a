import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import { busUsers } from '@posthorn/contracts';
import { root } from '../testing/deployment.js';

describe('deploy/new-env.sh', () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-new-env-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const make = () => promisify(execFile)('sh', [join(folder, 'deploy/new-env.sh')]);

  it('writes a secret of its own for each that is empty in .env.example, and never over a file that is there', async () => {
    mkdirSync(join(folder, 'deploy'));
    copyFileSync(join(root, 'deploy/new-env.sh'), join(folder, 'deploy/new-env.sh'));
    copyFileSync(join(root, '.env.example'), join(folder, '.env.example'));
    await make();
    const file = join(folder, '.env');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const secrets = [...readFileSync(file, 'utf8').matchAll(/^([A-Z_]+)=(.*)$/gm)].map(
      ([, , value]) => value,
    );
    expect(secrets).toHaveLength(2 + busUsers.length);
    expect(new Set(secrets).size).toBe(secrets.length);
    expect(secrets.filter((secret) => !/^p[0-9a-f]{64}$/.test(secret!))).toEqual([]);
    await expect(make()).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is a .env'),
    });
  });
});
