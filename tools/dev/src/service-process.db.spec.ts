import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  cloneDatabase,
  eventually,
  startTestNats,
  testSecret,
  type TestDatabase,
  type TestNats,
} from '@posthorn/testing';
import { entities, migrations } from '../../../apps/analytics/src/data-source.js';
import * as gatewayParts from '../../../apps/gateway/src/data-source.js';
import { ServiceProcess } from './service-process.js';
import { ServiceSupervisor } from './service-supervisor.js';
import { runningProcess } from './running-process.js';

describe('a service as a process of its own', () => {
  let database: TestDatabase;
  let nats: TestNats;
  let environment: Record<string, string>;
  const started: { stop(): Promise<unknown> }[] = [];

  beforeAll(async () => {
    [database, nats] = await Promise.all([
      cloneDatabase('analytics', { entities, migrations }),
      startTestNats(),
    ]);
    environment = {
      ANALYTICS_DATABASE_URL: database.url,
      NATS_URL: nats.url,
      POSTHORN_SECRET_KEY: testSecret,
      LOG_LEVEL: 'error',
    };
  });
  afterAll(async () => {
    for (const each of started) await each.stop();
    await Promise.all([database.drop(), nats.stop()]);
  });

  const supervised = async (name: string) => {
    const text: string[] = [];
    const supervisor = new ServiceSupervisor({ report: (line) => text.push(line) });
    started.push(supervisor);
    const [process] = await supervisor.start([{ service: 'analytics', name, environment }]);
    return { said: text, supervisor, process: process! };
  };

  it('is ready when it is started, drains on SIGTERM, and starts again on its ports', async () => {
    const analytics = await ServiceProcess.start({ service: 'analytics', environment });
    started.push(analytics);
    const { adminPort, pid } = analytics;
    expect(await analytics.isReady()).toBe(true);
    const [, flags] = /^exec node (.*) "\$main"$/m.exec(
      readFileSync(new URL('../../../deploy/start-service.sh', import.meta.url), 'utf8'),
    )!;
    expect(runningProcess(pid)!.arguments.slice(1, -1)).toEqual(flags!.split(' '));
    expect(await analytics.stop()).toEqual({ code: 0, signal: null });
    expect(await analytics.isReady()).toBe(false);
    await analytics.restart({ LOG_LEVEL: 'silent' });
    expect(await analytics.isReady()).toBe(true);
    expect(analytics.adminPort).toBe(adminPort);
    expect(analytics.pid).not.toBe(pid);
  });

  it('of the gateway says 503 on /readyz while it drains, and still answers', async () => {
    const clone = await cloneDatabase('gateway', gatewayParts);
    const own = { ...environment, GATEWAY_DATABASE_URL: clone.url, DRAIN_MS: '20000' };
    const gateway = await ServiceProcess.start({ service: 'gateway', environment: own });
    const readyz = async () => {
      const answer = await fetch(`${gateway.adminUrl}/readyz`);
      return { status: answer.status, text: (await answer.text()).trim() };
    };
    expect(await readyz()).toEqual({ status: 200, text: 'ready' });
    gateway.kill('SIGTERM');
    await eventually(async () => (await readyz()).status === 503, '503 on /readyz');
    expect(await readyz()).toEqual({ status: 503, text: 'draining' });
    const answer = await fetch(`${gateway.url}/api/v1/emails`);
    expect([answer.status, answer.headers.get('connection')]).toEqual([401, 'close']);
    gateway.kill('SIGKILL');
    expect(await gateway.ended).toEqual({ code: null, signal: 'SIGKILL' });
    await clone.drop();
  });

  it('can be killed, and says how it ended', async () => {
    const analytics = await ServiceProcess.start({ service: 'analytics', environment });
    analytics.kill('SIGKILL');
    expect(await analytics.ended).toEqual({ code: null, signal: 'SIGKILL' });
    expect(analytics.isRunning).toBe(false);
  });

  it('that cannot start throws what it said, without a stack', async () => {
    const wrong = { ...environment, LOG_LEVEL: 'loud' };
    const error = await ServiceProcess.start({ service: 'analytics', environment: wrong }).catch(
      (thrown: Error) => thrown,
    );
    expect((error as Error).message).toMatch(/LOG_LEVEL=loud must be one of/);
    expect((error as Error).message).not.toMatch(/\n\s+at .*:\d+:\d+/);
  });

  it('is started again by its supervisor after a crash, which says so', async () => {
    const { said: text, process } = await supervised('crashing');
    const before = process.pid;
    process.kill('SIGKILL');
    await eventually(async () => text.includes('crashing is back'), 'the restart');
    expect(text).toEqual(['crashing ended by SIGKILL: it starts again in 0.2 s', 'crashing is back']);
    expect(process.pid).not.toBe(before);
    expect(await process.isReady()).toBe(true);
  });

  it('stays away when the supervisor stops, even in the middle of a restart', async () => {
    const { said: text, supervisor, process } = await supervised('stopped');
    process.kill('SIGKILL');
    await eventually(async () => text.length > 0, 'the crash noticed');
    await supervisor.stop();
    expect(process.isRunning).toBe(false);
    expect(text).not.toContain('stopped is back');
  });

  it('ends by itself when whoever started it is killed', async () => {
    const script = `
      const { ServiceProcess } = await import(${JSON.stringify(new URL('../../../dist/tools/dev/src/index.js', import.meta.url).href)});
      const { pid } = await ServiceProcess.start({ service: 'analytics', environment: ${JSON.stringify(environment)} });
      console.log(pid);`;
    const launcher = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [pid] = await once(launcher.stdout, 'data');
    expect(runningProcess(Number(pid))).not.toBeNull();
    launcher.kill('SIGKILL');
    await eventually(async () => runningProcess(Number(pid)) === null, 'the service gone');
  });
});
