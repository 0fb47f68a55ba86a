import { mkdtempSync, renameSync, rmSync, symlinkSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Metrics } from '@posthorn/telemetry';
import { eventually, renewedCertificate, renewedKey, testCertificate, testKey } from '@posthorn/testing';
import type { SendingConfig } from '../config.js';
import type { MailReports } from './mail-reports.service.js';
import { ReturnPathServer } from './return-path-server.js';

let folder: string;
let server: ReturnPathServer;
let written = 0;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mail-tls-'));
  Logger.overrideLogger(false);
});
afterEach(async () => {
  await server.onApplicationShutdown();
  rmSync(folder, { recursive: true });
  Logger.overrideLogger(['warn', 'error']);
});

/** As a Secret that is mounted changes: all its files at once, by one link. */
function mount(cert: string, key: string): void {
  written += 1;
  mkdirSync(join(folder, `data-${written}`));
  writeFileSync(join(folder, `data-${written}/tls.crt`), cert);
  writeFileSync(join(folder, `data-${written}/tls.key`), key);
  symlinkSync(`data-${written}`, join(folder, `link-${written}`));
  renameSync(join(folder, `link-${written}`), join(folder, 'data'));
}

async function start(): Promise<number> {
  const config = {
    inboundPort: 0,
    inboundHost: '127.0.0.1',
    mailTlsCert: join(folder, 'data/tls.crt'),
    mailTlsKey: join(folder, 'data/tls.key'),
  } as SendingConfig;
  server = new ReturnPathServer(config, {} as MailReports, new Metrics('test'));
  server.onApplicationBootstrap();
  return eventually(async () => server.port, 'the port is open');
}

async function offered(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'data');
  for (const line of ['EHLO mx.example', 'STARTTLS']) {
    socket.write(`${line}\r\n`);
    await once(socket, 'data');
  }
  const secured = connectTls({ socket, rejectUnauthorized: false });
  await once(secured, 'secureConnect');
  const { CN } = secured.getPeerCertificate().subject;
  secured.destroy();
  return String(CN);
}

it('a certificate that is renewed is the one of the next connection, without a new start', async () => {
  mount(testCertificate, testKey);
  const port = await start();
  expect(await offered(port)).toBe('localhost');
  mount(renewedCertificate, renewedKey);
  expect(await offered(port)).toBe('renewed.localhost');
});

it('one that does not fit its key, or is not there, leaves the old one in use', async () => {
  mount(testCertificate, testKey);
  const port = await start();
  mount(renewedCertificate, testKey);
  expect(await offered(port)).toBe('localhost');
  rmSync(join(folder, 'data'));
  expect(await offered(port)).toBe('localhost');
  mount(renewedCertificate, renewedKey);
  expect(await offered(port)).toBe('renewed.localhost');
});
