import type pg from 'pg';
import { RefusedDatabase } from './refused-database.js';

export type RoleSettings = Readonly<Record<string, string>>;

/** At the role and not at the connection, where poolers would refuse or drop them; as `pg_settings` has them, in milliseconds. */
export const roleSettings: RoleSettings = {
  statement_timeout: '60000',
  idle_in_transaction_session_timeout: '60000',
};

/** For very frequent statements, which are planned once a connection: such a plan must fit tables of any size, so it uses indexes and
 * nested loops. */
export const hotRoleSettings: RoleSettings = {
  ...roleSettings,
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
};

export const hotRoleOf = (role: string): string => `${role}_hot`;

/** The same database by the role for very frequent statements. */
export function hotUrl(url: string): string {
  const hot = new URL(url);
  hot.username = hotRoleOf(hot.username);
  return hot.toString();
}

export async function refuseOtherSettings(pool: pg.Pool, wanted: RoleSettings): Promise<void> {
  const { rows } = await pool.query<{ role: string; name: string; setting: string }>(
    `SELECT current_user AS role, name, setting FROM pg_settings WHERE name = ANY ($1::text[])`,
    [Object.keys(wanted)],
  );
  const other = rows.filter(({ name, setting }) => wanted[name] !== setting).map(({ name }) => name);
  if (other.length === 0) return;
  const role = rows[0]!.role;
  throw new RefusedDatabase(
    `the role ${role} lacks ${other.map((name) => `${name} = ${wanted[name]}`).join(', ')}: run the job \`provision\`, or ALTER ROLE ${role} SET … (docs/deploying.md), and reconnect the pooler`,
  );
}

/** One line where the second role of a service is missing; else null. */
export function roleProblem(error: unknown, url: string): string | null {
  const { code = '', message = '' } = (error ?? {}) as { code?: string; message?: string };
  const role = decodeURIComponent(new URL(hotUrl(url)).username);
  // 28000 and 28P01 of Postgres, 08P01 of PgBouncer.
  if (!/^(28|08P01)/.test(code) || !message.includes(`"${role}"`)) return null;
  return `the role ${role} is missing, or has another password (${message}): run the job \`provision\` (docs/deploying.md)`;
}
