import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

const platform = new URL('../../../dist/libs/platform/src/run-process.js', import.meta.url).href;

/** A process that starts with `body`; its output and exit code. */
async function run(body: string): Promise<{ reported: string; complained: string; code: number | null }> {
  const program = `
    import { runProcess } from '${platform}';
    const forever = setInterval(() => undefined, 1000);
    const service = { stop: async () => { console.log('drained'); clearInterval(forever); } };
    await runProcess(async () => { ${body} });
    console.log('serves');`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  const [output, complained, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { reported: output, complained, code };
}

describe('runProcess', () => {
  it('drains on a signal that arrives just when the start completes', async () => {
    const { reported: text, code } = await run(`process.kill(process.pid, 'SIGTERM'); return service;`);
    expect(text).toBe('serves\ndrained\n');
    expect(code).toBe(0);
  });

  it('exits at once with 1 on a signal during the start', async () => {
    const { reported: text, code } = await run(
      `process.kill(process.pid, 'SIGTERM'); await new Promise(() => undefined);`,
    );
    expect(text).toBe('');
    expect(code).toBe(1);
  });

  it.each([
    [
      'ECONNREFUSED',
      'connect ECONNREFUSED 127.0.0.1:1',
      'a server is not reachable (connect ECONNREFUSED 127.0.0.1:1): check DATABASE_URL and NATS_URL',
    ],
    [
      '28P01',
      'password authentication failed for user "me"',
      'the database refuses this start (password authentication failed for user "me"): check DATABASE_URL',
    ],
    [
      'EADDRNOTAVAIL',
      'listen EADDRNOTAVAIL: 192.0.2.1:3000',
      'this machine has no such address (listen EADDRNOTAVAIL: 192.0.2.1:3000): set HOST or ADMIN_HOST to one of its own',
    ],
  ])(
    'prints a remedy for a failed start in one line, and exits with 1: %s',
    async (failure, message, line) => {
      const { complained, code } = await run(
        `throw Object.assign(new Error(${JSON.stringify(message)}), { code: '${failure}' });`,
      );
      expect([complained, code]).toEqual([`${line}\n`, 1]);
    },
  );

  it('stops what runs when it fails, prints why, and exits with 1', async () => {
    const { reported, complained, code } = await run(
      `return { ...service, failed: Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })) };`,
    );
    expect([reported, code]).toEqual(['drained\nserves\n', 1]);
    expect(complained).toMatch(/^a server is not reachable .*\n$/);
  });
});
