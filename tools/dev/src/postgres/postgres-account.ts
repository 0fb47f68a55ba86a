import { statSync } from 'node:fs';
import { dirname } from 'node:path';

/** `nobody` everywhere; PostgreSQL refuses to run as root. */
const unprivileged = 65534;

export interface ServerAccount {
  uid: number;
}

/** The account for the server when we are root; null when it simply runs as us. */
export function serverAccount(): ServerAccount | null {
  return process.getuid?.() === 0 ? { uid: unprivileged } : null;
}

/** Whether the account can enter every folder above `path`; root's own home is closed to others. */
export function canReach(path: string, { uid }: ServerAccount): boolean {
  const folder = dirname(path);
  const { mode, uid: owner } = statSync(folder);
  const mayEnter = owner === uid ? (mode & 0o100) !== 0 : (mode & 0o001) !== 0;
  return mayEnter && (folder === dirname(folder) || canReach(folder, { uid }));
}
