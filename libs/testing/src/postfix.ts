import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseQuietPort } from '@posthorn/dev';

const program = '/usr/sbin/postfix';
/** Postfix is installed, and this process may start it. */
export const hasPostfix = existsSync(program) && process.getuid?.() === 0;

export interface Postfix {
  /** Of its SMTP server, which takes any message from this machine. */
  port: number;
  /** What it logged, for a test that fails. */
  log(): string;
  stop(): void;
}

const services = `
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
error unix - - n - - error
retry unix - - n - - error
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
`;

/** A mail server that takes every message, finds that nobody has the address, and sends its bounces for the domain to the given port. */
export async function startPostfix(bounces: { domain: string; port: number }): Promise<Postfix> {
  const directory = mkdtempSync(join(tmpdir(), 'posthorn-postfix-'));
  // Its processes run as another user.
  chmodSync(directory, 0o755);
  const at = (name: string) => join(directory, name);
  const port = await chooseQuietPort();
  for (const name of ['etc', 'queue', 'data']) mkdirSync(at(name));
  const owner = Number(spawnSync('id', ['-u', 'postfix'], { encoding: 'utf8' }).stdout);
  chownSync(at('data'), owner, -1);
  writeFileSync(
    at('etc/main.cf'),
    `compatibility_level = 3.6
queue_directory = ${at('queue')}
data_directory = ${at('data')}
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
mail_owner = postfix
setgid_group = postdrop
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mx.postfix.test
mydestination =
mynetworks = 127.0.0.0/8
smtpd_reject_unlisted_recipient = no
default_transport = error:5.1.1 User unknown
transport_maps = inline:{ ${bounces.domain}=smtp:[127.0.0.1]:${bounces.port} }
maillog_file = ${at('log')}
maillog_file_prefixes = ${directory}
`,
  );
  writeFileSync(at('etc/master.cf'), `127.0.0.1:${port} inet n - n - - smtpd${services}`);
  const run = (command: string) => spawnSync(program, ['-c', at('etc'), command], { encoding: 'utf8' });
  const log = () => (existsSync(at('log')) ? readFileSync(at('log'), 'utf8') : '');
  const { status, stderr } = run('start');
  if (status !== 0) throw new Error(`postfix did not start: ${stderr}${log()}`);
  return {
    port,
    log,
    stop: () => {
      run('stop');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
