import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Env, readConfig } from './config.js';
import { withSecretFiles } from './secret-files.js';
import { ServiceConfig } from './service-config.js';

class HookConfig extends ServiceConfig {
  @Env('HOOK_SECRET', { kind: 'text', optional: true, secret: true, describe: 'secret of a hook' })
  hookSecret?: string;

  @Env('CERTIFICATE_FILE', { kind: 'text', optional: true, describe: 'a file that is no secret' })
  certificateFile?: string;
}

const key = 'k'.repeat(32);
let folder: string;
const fileOf = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'secrets-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const problemsOf = (environment: Record<string, string>): string => {
  try {
    return `read ${JSON.stringify(withSecretFiles(environment))}`;
  } catch (error) {
    return (error as Error).message;
  }
};

describe('A secret in a file', () => {
  it('stands for the variable, without the end of its line', () => {
    const environment = withSecretFiles({
      POSTHORN_SECRET_KEY_FILE: fileOf('key', `${key}\n`),
      HOOK_SECRET_FILE: fileOf('hook', 'hush'),
      SENDING_DATABASE_URL_FILE: fileOf('database', 'postgres://sending:x@db/sending\n'),
    });
    expect(readConfig(HookConfig, environment)).toMatchObject({ secretKey: key, hookSecret: 'hush' });
    expect(environment).toEqual({
      POSTHORN_SECRET_KEY: key,
      HOOK_SECRET: 'hush',
      SENDING_DATABASE_URL: 'postgres://sending:x@db/sending',
    });
  });

  it('is not what another variable means that ends in _FILE', () => {
    const environment = { CERTIFICATE_FILE: '/nowhere/cert.pem', ADMIN_PORT_FILE: '/nowhere/port' };
    expect(withSecretFiles(environment)).toEqual(environment);
  });

  it('stops the start in one line where the variable is set, too', () => {
    const file = fileOf('twice', key);
    expect(problemsOf({ POSTHORN_SECRET_KEY: key, POSTHORN_SECRET_KEY_FILE: file })).toBe(
      'POSTHORN_SECRET_KEY and POSTHORN_SECRET_KEY_FILE are both set: keep one of them',
    );
  });

  it('stops the start in one line for each file that is not there or empty', () => {
    const empty = fileOf('empty', '\n');
    expect(problemsOf({ NATS_URL_FILE: '/nowhere/url', HOOK_SECRET_FILE: empty })).toBe(
      `NATS_URL_FILE=/nowhere/url cannot be read (ENOENT)\nHOOK_SECRET_FILE=${empty} is empty`,
    );
  });
});
