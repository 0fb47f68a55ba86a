import { afterEach, describe, expect, it } from '@jest/globals';
import { readConfig } from '@posthorn/platform';
import { Metrics } from '@posthorn/telemetry';
import { eventually, talkSmtp } from '@posthorn/testing';
import { SendingConfig } from '../config.js';
import { ConnectionLimits } from './connection-limits.js';
import type { MailReports } from './mail-reports.service.js';
import { ReturnPathServer } from './return-path-server.js';

const reports = { accepts: () => true, take: () => Promise.resolve(0) } as unknown as MailReports;
const message = Buffer.from('Subject: x\r\n\r\nx\r\n.\r\n');
const steps = ['EHLO mx.example', 'MAIL FROM:<>', 'RCPT TO:<a@b.example>', 'DATA', message];
const taken = ['220', '250', '250', '250', '354', '250'];
const proxied = (address: string): string => `PROXY TCP4 ${address} 192.0.2.1 4321 25\r\n`;

let server: ReturnPathServer;
afterEach(() => server.onApplicationShutdown());

async function start(inboundProxies?: string): Promise<number> {
  const config = { inboundPort: 0, inboundHost: '127.0.0.1', inboundProxies } as SendingConfig;
  server = new ReturnPathServer(config, reports, new Metrics('test'));
  server.onApplicationBootstrap();
  return eventually(async () => server.port, 'the port is open');
}

/** From 127.0.0.1, or another address of this machine. */
const talk = (port: number, preface = '', from = '127.0.0.1') => talkSmtp(port, steps, from, preface);

describe('INBOUND_PROXY_PROTOCOL', () => {
  it('makes the client that a balancer names the one whose connections are counted', async () => {
    const port = await start('127.0.0.0/31');
    const counted: string[] = [];
    const take = ConnectionLimits.prototype.take;
    ConnectionLimits.prototype.take = function (address) {
      counted.push(address);
      return take.call(this, address);
    };
    try {
      expect(await talk(port, proxied('203.0.113.7'))).toEqual(taken);
      expect(await talk(port, 'PROXY TCP6 2001:db8::7 2001:db8::1 4321 25\r\n')).toEqual(taken);
      expect(await talk(port, 'PROXY UNKNOWN\r\n')).toEqual(taken);
    } finally {
      ConnectionLimits.prototype.take = take;
    }
    expect(counted).toEqual(['203.0.113.7', '2001:db8::7', '127.0.0.1']);
  });

  it('lets nobody else name a client: they talk too soon', async () => {
    const port = await start('127.0.0.2');
    expect((await talk(port, proxied('203.0.113.7'), '127.0.0.3'))[0]).toBe('421');
    expect(await talk(port, '', '127.0.0.3')).toEqual(taken);
    expect(await talk(port, proxied('203.0.113.7'), '127.0.0.2')).toEqual(taken);
  });

  it('ends a connection of a balancer that names none', async () => {
    const port = await start('127.0.0.1');
    expect((await talk(port, 'EHLO mx.example\r\n'))[0]).toBe('clo');
    expect((await talk(port, proxied('mx.example')))[0]).toBe('clo');
  });

  it('without it, nobody may', async () => {
    const port = await start();
    expect((await talk(port, proxied('203.0.113.7')))[0]).toBe('421');
  });

  it('refuses what is no range, in one line', () => {
    const environment = {
      POSTHORN_SECRET_KEY: 'k'.repeat(32),
      INBOUND_PROXY_PROTOCOL: '10.0.0.0/8, balancer',
    };
    expect(() => readConfig(SendingConfig, environment)).toThrow(
      /^INBOUND_PROXY_PROTOCOL=10.0.0.0\/8, balancer contains balancer, which is no address and no range[^\n]*$/,
    );
  });
});
