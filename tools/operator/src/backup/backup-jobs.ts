import { resolve } from 'node:path';
import { readArguments, StartError } from '@posthorn/platform';
import type { Job } from '../job.js';
import { backUp } from './backup.js';
import { Installation } from './installation.js';
import { restore } from './restore.js';

function directoryIn(texts: readonly string[], job: string, option: string): string {
  const { values } = readArguments(texts, { options: [option], help: `posthorn ${job} --help` });
  const directory = values[option];
  if (!directory) throw new StartError(`${job} needs --${option}, a directory`);
  return resolve(directory);
}

export const backupJobs = {
  backup: {
    synopsis: 'backup --to …',
    describe:
      'write the rows of all services into a new directory, while everything runs; the secret key is not part of it: keep it apart',
    run: async (texts, environment, { print, complain: progress }) => {
      const to = directoryIn(texts, 'backup', 'to');
      const installation = new Installation(environment, progress);
      const secretMark = installation.secretMark();
      const { services } = await installation.reading((urls) => backUp(urls, { to, secretMark, progress }));
      const ofService = services.map(({ service, takenAt, tables }) => [
        service,
        { takenAt, rows: tables.reduce((sum, { rows }) => sum + rows, 0) },
      ]);
      print(JSON.stringify(Object.fromEntries(ofService), null, 2));
    },
  },
  restore: {
    synopsis: 'restore --from …',
    describe: 'read a backup into databases without rows, before anything is started on them',
    run: async (texts, environment, { print, complain: progress }) => {
      const from = directoryIn(texts, 'restore', 'from');
      const installation = new Installation(environment, progress);
      const secretMark = installation.secretMark();
      const { rows, takenAt } = await installation.making((urls) =>
        restore(urls, { from, secretMark, progress }),
      );
      const next = [
        'start Posthorn with DELIVERY_PAUSED=true',
        `npm run posthorn -- events republish --since ${takenAt}`,
        'npm run posthorn -- read-models rebuild',
        'start again without DELIVERY_PAUSED; what is overdue is held until you decide: npm run posthorn -- deliveries held',
      ];
      print(JSON.stringify({ rows, takenAt, next }, null, 2));
    },
  },
} satisfies Record<string, Job>;
