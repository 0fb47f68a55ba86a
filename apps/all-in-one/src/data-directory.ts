import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DevServerError } from '@posthorn/dev';

/** What a developer's tools read (docs/api-decisions.md §14). */
export interface DevFile {
  baseUrl: string;
  inboxUrl: string;
  projectId: string;
  secretKey: string;
  publicKey: string;
  /** Owns the project; signs in at `/sign-in`. */
  user: { email: string; password: string };
}

/** The servers behind a running `npm start`, for the operator's commands. */
export interface ServersFile {
  natsUrl: string;
  /** One, or one for each service. */
  databaseUrls: string[];
}

/** One of the processes of `npm run start:services`. */
export interface RunningProcessEntry {
  name: string;
  pid: number;
  adminPort: number;
}

/** The folder that holds all state of `npm start`. */
export class DataDirectory {
  constructor(readonly path: string) {
    try {
      mkdirSync(path, { recursive: true });
      writeFileSync(join(path, '.writable'), '');
    } catch (error) {
      throw new DevServerError(
        `the data directory ${path} cannot be written (${(error as Error).message}): set POSTHORN_DATA_DIR to a folder of your own`,
      );
    }
  }

  at(name: string): string {
    return join(this.path, name);
  }

  /** Made once and kept readable by the owner only; everything that is derived from it would be lost with it. */
  secretKey(): string {
    const file = this.at('secret.key');
    if (!existsSync(file)) writePrivate(file, randomBytes(32).toString('base64url'));
    const key = readFileSync(file, 'utf8').trim();
    if (key.length < 32)
      throw new DevServerError(`${file} is damaged: restore it, or remove the data directory to begin anew`);
    return key;
  }

  readDevFile(): DevFile | null {
    const file = this.at('dev.json');
    if (!existsSync(file)) return null;
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as DevFile;
    } catch {
      throw new DevServerError(`${file} is damaged: remove it, and the next start makes new demo keys`);
    }
  }

  writeDevFile(content: DevFile): void {
    writePrivate(this.at('dev.json'), `${JSON.stringify(content, null, 2)}\n`);
  }

  /** Also those of an earlier start, until others are written. */
  readProcessesFile(): RunningProcessEntry[] {
    const file = this.at('processes.json');
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as RunningProcessEntry[]) : [];
  }

  writeProcessesFile(content: RunningProcessEntry[]): void {
    writePrivate(this.at('processes.json'), `${JSON.stringify(content, null, 2)}\n`);
  }

  writeServersFile(content: ServersFile): void {
    writePrivate(this.at('servers.json'), `${JSON.stringify(content, null, 2)}\n`);
  }
}

/** Written beside and renamed, so that a crash leaves the old content or the new one. */
function writePrivate(file: string, content: string): void {
  writeFileSync(`${file}.new`, content, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
