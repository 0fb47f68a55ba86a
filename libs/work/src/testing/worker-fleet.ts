import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const program = join('dist', 'libs', 'work', 'src', 'testing', 'worker-process.js');

/** Workers in processes of their own; one that ends is started again, as long as the fleet is there. */
export class WorkerProcesses {
  deaths = 0;
  private readonly members: { child: ChildProcess; ready: Promise<unknown>; stored: Promise<void> }[] = [];
  private ending = false;

  constructor(private readonly servers: { databaseUrl: string; natsUrl: string; leaseMs: number }) {}

  async start(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      const member = { ...this.fork(), stored: Promise.resolve() };
      this.members.push(member);
      member.stored = this.keep(index);
    }
    await this.ready();
  }

  async ready(): Promise<void> {
    await Promise.all(this.members.map(({ ready }) => ready));
  }

  /** Of one member; where it is just dead already, nothing happens. */
  signal(index: number, signal: NodeJS.Signals): void {
    this.members[index]!.child.kill(signal);
  }

  /** It ends what is under way, and another one comes. */
  async leave(index: number): Promise<void> {
    const { child } = this.members[index]!;
    if (!child.connected) return;
    const ended = once(child, 'exit');
    child.send('stop', () => undefined);
    await ended;
  }

  async stop(): Promise<void> {
    this.ending = true;
    for (const { child } of this.members) child.kill('SIGKILL');
    await Promise.all(this.members.map(({ stored }) => stored));
  }

  private fork(): { child: ChildProcess; ready: Promise<unknown> } {
    const { databaseUrl, natsUrl, leaseMs } = this.servers;
    const child = fork(program, [databaseUrl, natsUrl, String(leaseMs)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: [],
    });
    return { child, ready: Promise.race([once(child, 'message'), once(child, 'exit')]) };
  }

  private async keep(index: number): Promise<void> {
    const member = this.members[index]!;
    while (!this.ending) {
      if (member.child.exitCode === null && member.child.signalCode === null)
        await once(member.child, 'exit');
      if (member.child.signalCode) this.deaths += 1;
      if (!this.ending) Object.assign(member, this.fork());
    }
  }
}
