import { setTimeout as delay } from 'node:timers/promises';
import { stallMs, type FaultKind } from './faults.js';
import type { ProcessGroup, Member } from '../process-group.js';
import type { Fixture } from '../fixture.js';
import type { Caught } from './lock-trap.js';

/** How hard, and whether somebody was waited for. */
export interface Blow {
  at: string | null;
  downMs: number;
}
type Injection = (blow: Blow, members: readonly Member[]) => Promise<void>;
export type Injections = Readonly<Record<FaultKind, Injection>>;

const tries = 4;
const betweenTriesMs = 700;
const holdsMs = 50;

/** What each weapon does; a stop takes `stopMs`. */
export function injectionsOf(processes: ProcessGroup, fixture: Fixture, stopMs: number): Injections {
  const freeze = async (members: readonly Member[], ms: number) => {
    for (const member of members) processes.signal(member, 'SIGSTOP');
    await delay(ms);
    for (const member of members) processes.signal(member, 'SIGCONT');
  };
  const kill: Injection = async (_, members) => {
    for (const member of members) processes.signal(member, 'SIGKILL');
  };
  const stop: Injection = (_, members) => freeze(members, stopMs);
  const pause: Injection = ({ downMs }, members) => freeze(members, downMs);
  const leave: Injection = async (_, members) => {
    await Promise.all(members.map((member) => processes.leave(member)));
  };
  return {
    ...{ 'kill sending': kill, 'stop sending': stop, 'pause sending': pause, 'leave sending': leave },
    ...{ 'kill gateway': kill, 'stop gateway': stop, 'pause gateway': pause, 'leave gateway': leave },
    ...{ 'kill contacts': kill, 'stop contacts': stop, 'kill analytics': kill, 'stop analytics': stop },
    ...{ 'kill campaigns': kill, 'stop campaigns': stop, 'kill workflows': kill, 'stop workflows': stop },
    // The trap's own lock is what stalls; a blind one has nothing to hold.
    'stall postgres': ({ at }) => delay(at ? stallMs : 0),
    'crash postgres': ({ downMs }) => fixture.crashPostgres(downMs),
    'kill nats': ({ downMs }) => fixture.killNats(downMs, { wipe: false }),
    'wipe nats': ({ downMs }) => fixture.killNats(downMs, { wipe: true }),
    'kill smtp': ({ downMs }) => fixture.killSink(downMs),
    'refuse smtp': ({ downMs }) => fixture.refuseAtSink(downMs),
  };
}

/** Strikes whoever a trap catches, in a few tries; returns whether it caught anybody. */
export async function aimed(
  trap: (inject: (caught: Caught) => Promise<void>) => Promise<Caught | null>,
  act: (caught: Caught) => Promise<void>,
  holdMs = holdsMs,
): Promise<boolean> {
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    const injections: Promise<void>[] = [];
    const caught = await trap(async (seen) => {
      // The strike goes on after the trap has let go: what it holds must not hold up the way back.
      injections.push(act(seen));
      await Promise.race([...injections, delay(holdMs)]);
    }).catch(() => null);
    await Promise.all(injections);
    if (caught) return true;
    await delay(betweenTriesMs);
  }
  return false;
}

/** The very process that was seen, where it is one of these. */
export function seenMember(
  processes: ProcessGroup,
  members: readonly Member[],
  caught: Caught | null,
): readonly Member[] | null {
  const seen = caught?.pid ? processes.memberOf(caught.pid) : undefined;
  return seen && members.includes(seen) ? [seen] : null;
}

export const nth = (members: readonly Member[], replica: number): readonly Member[] =>
  members.slice(replica % Math.max(1, members.length)).slice(0, 1);
