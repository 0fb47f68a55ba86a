import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DevServerError } from '@posthorn/dev';

/** Read by developer tools (docs/api-decisions.md §14). */
export interface DevFile {
  baseUrl: string;
  inboxUrl: string;
  projectId: string;
  secretKey: string;
  publicKey: string;
  /** A public key that may only subscribe and unsubscribe addresses, for forms in web pages. */
  formKey: string;
  user: { email: string; password: string };
}

export interface ServersFile {
  natsUrl: string;
  databaseUrls: string[];
  processes: { name: string; pid: number }[];
}

export interface RunningProcessEntry {
  name: string;
  pid: number;
  adminPort: number;
}

export class DataDirectory {
  constructor(readonly path: string) {
    try {
      mkdirSync(path, { recursive: true });
      writeFileSync(join(path, '.writable'), '');
    } catch (error) {
      throw new DevServerError(
        `the data directory ${path} is not writable (${(error as Error).message}): set POSTHORN_DATA_DIR to another directory`,
      );
    }
  }

  at(name: string): string {
    return join(this.path, name);
  }

  /** Generated once and readable by the owner only. Data sealed with it cannot be read without it. */
  secretKey(): string {
    const file = this.at('secret.key');
    if (!existsSync(file)) writePrivate(file, randomBytes(32).toString('base64url'));
    const key = readFileSync(file, 'utf8').trim();
    if (key.length < 32)
      throw new DevServerError(`${file} is damaged: restore it, or delete the data directory to start over`);
    return key;
  }

  readDevFile(): DevFile | null {
    const file = this.at('dev.json');
    if (!existsSync(file)) return null;
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as DevFile;
    } catch {
      throw new DevServerError(`${file} is damaged: delete it; the next start creates new demo keys`);
    }
  }

  writeDevFile(content: DevFile): void {
    writePrivate(this.at('dev.json'), `${JSON.stringify(content, null, 2)}\n`);
  }

  /** Includes the processes of an earlier start until they are overwritten. */
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

/** Writes a new file and renames it, so that a crash leaves either the old or the new content. */
function writePrivate(file: string, content: string): void {
  writeFileSync(`${file}.new`, content, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
