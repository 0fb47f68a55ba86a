import { describe, expect, it } from '@jest/globals';
import type { ServiceName } from '@posthorn/contracts';
import { readStartOptions } from './start-options.js';

const services: ServiceName[] = ['sending', 'contacts', 'gateway'];
const read = (line: string, environment: Record<string, string> = {}) =>
  readStartOptions(line.split(' ').filter(Boolean), environment, services);

describe('the options of npm start', () => {
  it('are empty for one process', () => {
    expect(read('')).toEqual({ as: 'one-process' });
  });

  it.each([
    ['--services', {}, false, false],
    ['--services --replicas gateway=2,sending=3', { gateway: 2, sending: 3 }, false, false],
    ['--services --separate-databases --replicas=contacts=1', { contacts: 1 }, true, false],
    ['--services --pooler', {}, false, true],
  ])('select the processes: %s', (line, replicas, separateDatabases, pooler) => {
    expect(read(line)).toEqual({ as: 'processes', replicas, separateDatabases, pooler });
  });

  it.each([
    ['--services --replicas', /replicas/],
    ['--services --replicas gateway', /gateway is not <service>=/],
    ['--services --replicas gateway=0', /gateway=0 is not <service>=<1 to 16>/],
    ['--services --replicas gateway=17', /gateway=17 is not/],
    ['--services --replicas gateway=two', /gateway=two is not/],
    ['--services --replicas doorman=2', /unknown service doorman; use one of sending, contacts, gateway/],
    ['--services --replicas sending=2,sending=3', /sending is given twice/],
    ['--services --seperate-databases', /seperate-databases/],
    ['--services gateway=2', /gateway=2/],
    ['--replicas gateway=2', /replicas, separate databases and a pooler require/],
    ['--separate-databases', /replicas, separate databases and a pooler require/],
    ['--pooler', /replicas, separate databases and a pooler require/],
  ])('are refused if they are invalid: %s', (line, texts) => {
    expect(() => read(line)).toThrow(texts);
  });

  it('consumed by npm are reported', () => {
    expect(() => read('--services', { npm_config_replicas: 'true' })).toThrow(
      /two dashes before it.*start:services -- \[--replicas/,
    );
    expect(() => read('--services', { npm_config_separate_databases: 'true' })).toThrow(
      /npm consumed --separate-databases/,
    );
  });

  it('exclude separate databases with a shared DATABASE_URL', () => {
    expect(() => read('--services --separate-databases', { DATABASE_URL: 'postgres://localhost' })).toThrow(
      /DATABASE_URL configures one server/,
    );
  });
});
