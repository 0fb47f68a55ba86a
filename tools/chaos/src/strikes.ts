import { setTimeout as delay } from 'node:timers/promises';
import { stallMs, type Weapon } from './faults.js';
import type { Fleet, Member } from './fleet.js';
import type { Ground } from './ground.js';
import type { Caught } from './lock-trap.js';

/** How hard, and whether somebody was waited for. */
export interface Blow {
  at: string | null;
  downMs: number;
}
type Strike = (blow: Blow, members: readonly Member[]) => Promise<void>;
export type Strikes = Readonly<Record<Weapon, Strike>>;

const tries = 4;
const betweenTriesMs = 700;
const holdsMs = 50;

/** What each weapon does; a stop takes `stopMs`. */
export function strikesOf(fleet: Fleet, ground: Ground, stopMs: number): Strikes {
  const freeze = async (members: readonly Member[], ms: number) => {
    for (const member of members) fleet.signal(member, 'SIGSTOP');
    await delay(ms);
    for (const member of members) fleet.signal(member, 'SIGCONT');
  };
  const kill: Strike = async (_, members) => {
    for (const member of members) fleet.signal(member, 'SIGKILL');
  };
  const stop: Strike = (_, members) => freeze(members, stopMs);
  const pause: Strike = ({ downMs }, members) => freeze(members, downMs);
  const leave: Strike = async (_, members) => {
    await Promise.all(members.map((member) => fleet.leave(member)));
  };
  return {
    ...{ 'kill sending': kill, 'stop sending': stop, 'pause sending': pause, 'leave sending': leave },
    ...{ 'kill gateway': kill, 'stop gateway': stop, 'pause gateway': pause, 'leave gateway': leave },
    ...{ 'kill contacts': kill, 'stop contacts': stop, 'kill analytics': kill, 'stop analytics': stop },
    ...{ 'kill campaigns': kill, 'stop campaigns': stop, 'kill workflows': kill, 'stop workflows': stop },
    // The trap's own lock is what stalls; a blind one has nothing to hold.
    'stall postgres': ({ at }) => delay(at ? stallMs : 0),
    'crash postgres': ({ downMs }) => ground.crashPostgres(downMs),
    'kill nats': ({ downMs }) => ground.killNats(downMs, { wipe: false }),
    'wipe nats': ({ downMs }) => ground.killNats(downMs, { wipe: true }),
    'kill smtp': ({ downMs }) => ground.killSink(downMs),
    'refuse smtp': ({ downMs }) => ground.refuseAtSink(downMs),
  };
}

/** Strikes whoever a trap catches, in a few tries; answers whether it caught anybody. */
export async function aimed(
  trap: (strike: (caught: Caught) => Promise<void>) => Promise<Caught | null>,
  act: (caught: Caught) => Promise<void>,
  holdMs = holdsMs,
): Promise<boolean> {
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    const strikes: Promise<void>[] = [];
    const caught = await trap(async (seen) => {
      // The strike goes on after the trap has let go: what it holds must not hold up the way back.
      strikes.push(act(seen));
      await Promise.race([...strikes, delay(holdMs)]);
    }).catch(() => null);
    await Promise.all(strikes);
    if (caught) return true;
    await delay(betweenTriesMs);
  }
  return false;
}

/** The very process that was seen, where it is one of these. */
export function seenMember(fleet: Fleet, members: readonly Member[], caught: Caught | null): readonly Member[] | null {
  const seen = caught?.pid ? fleet.memberOf(caught.pid) : undefined;
  return seen && members.includes(seen) ? [seen] : null;
}

export const nth = (members: readonly Member[], replica: number): readonly Member[] =>
  members.slice(replica % Math.max(1, members.length)).slice(0, 1);
