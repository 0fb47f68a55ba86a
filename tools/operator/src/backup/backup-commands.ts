import { resolve } from 'node:path';
import type { OfflineCommand } from '../command.js';
import { backUp } from './backup.js';
import { Installation } from './installation.js';
import { restore } from './restore.js';

export const backupCommands: OfflineCommand[] = [
  {
    noun: 'backup',
    verb: 'make',
    options: ['to'],
    describe:
      'write the rows of all services into a new directory, while everything runs; the secret key is not part of it, keep it apart',
    runAlone: async ({ environment, complain: progress }, { to }) => {
      const installation = new Installation(environment, progress);
      const secretMark = installation.secretMark();
      const { services } = await installation.withDatabases((urls) =>
        backUp(urls, { to: resolve(to!), secretMark, progress }),
      );
      return Object.fromEntries(
        services.map(({ service, takenAt, tables }) => [
          service,
          { takenAt, tables: tables.length, rows: tables.reduce((sum, { rows }) => sum + rows, 0) },
        ]),
      );
    },
  },
  {
    noun: 'backup',
    verb: 'restore',
    options: ['from'],
    describe: 'read a backup into databases without rows, before anything is started on them',
    runAlone: async ({ environment, complain: progress }, { from }) => {
      const installation = new Installation(environment, progress);
      const secretMark = installation.secretMark();
      const { rows, takenAt } = await installation.withDatabases((urls) =>
        restore(urls, { from: resolve(from!), secretMark, progress }),
      );
      return {
        rows,
        takenAt,
        next: [
          'start Posthorn with DELIVERY_PAUSED=true',
          `npm run posthorn -- events republish --since ${takenAt}`,
          'npm run posthorn -- read-models rebuild',
          'start again without DELIVERY_PAUSED: mail that is overdue waits for your decision (npm run posthorn -- overdue-mail --help)',
        ],
      };
    },
  },
];
