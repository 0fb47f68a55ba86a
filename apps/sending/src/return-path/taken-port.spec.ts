import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Metrics } from '@posthorn/telemetry';
import { eventually, freePort } from '@posthorn/testing';
import type { SendingConfig } from '../config.js';
import type { MailReports } from './mail-reports.service.js';
import { ReturnPathServer } from './return-path-server.js';

const lines: string[] = [];
const write = (line: string) => void lines.push(line);
const onWarning = ({ message }: Error) => write(message);
beforeAll(() => {
  Logger.overrideLogger({ log: write, warn: write, error: write });
  process.on('warning', onWarning);
});
afterAll(() => {
  Logger.overrideLogger(['warn', 'error']);
  process.off('warning', onWarning);
});

it('that belongs to another process is logged once, and that it is free as well', async () => {
  const port = await freePort();
  const other = createServer().listen(port, '127.0.0.1');
  await eventually(async () => other.listening, 'the other process has the port');
  const server = new ReturnPathServer(
    { inboundPort: port, inboundHost: '127.0.0.1' } as SendingConfig,
    {} as MailReports,
    new Metrics('test'),
  );
  server.rebindMs = 10;
  server.onApplicationBootstrap();
  await eventually(async () => lines.length > 0, 'the other process is noticed');
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(lines).toEqual([`port ${port} belongs to another process, which takes the reports`]);
  other.close();
  await eventually(async () => lines.length > 1, 'the port is taken over');
  expect(lines.slice(1)).toEqual([`takes bounces and complaints by SMTP on 127.0.0.1:${port}`]);
  await server.onApplicationShutdown();
});
