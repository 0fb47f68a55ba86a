import type { Lock } from '../../faults/lock-trap.js';
import type { Random } from '../../random.js';
import { ServiceStrikes, strikesFrom, type Deck, type Strike } from '../service-strikes.js';
import type { Stage } from '../suite.js';

/** What campaigns may be at when it dies (docs/decisions/0028-campaigns.md), each held open where its next statement waits for a lock. */
const locks = {
  'freeze before its page is written': { table: 'recipients', statement: '%INSERT INTO recipients (%' },
  'hand-over before its commit': { table: 'recipients', statement: '%SET handed_over = true%' },
  'results before their commit': { table: 'campaign_counts', statement: '%array_agg(outcome ORDER BY%' },
  'transition before its commit': { table: 'campaigns', statement: 'UPDATE "campaigns" SET%' },
} as const satisfies Record<string, Lock>;
type State = keyof typeof locks;

/** While there is something to hand over. */
const early: Deck<State> = [
  ['kill campaigns', 'hand-over before its commit', 5],
  ['kill campaigns', 'results before their commit', 2],
  ['kill campaigns', 'transition before its commit', 1],
  ['kill campaigns', null, 1],
  ['kill sending', null, 4],
  ['kill contacts', null, 2],
  ['kill gateway', null, 2],
  ['stop sending', null, 1],
  ['stop campaigns', null, 1],
  ['stop gateway', null, 1],
  ['crash postgres', null, 2],
  ['wipe nats', null, 2],
];
const late: Deck<State> = [
  ['kill campaigns', 'results before their commit', 3],
  ['kill campaigns', 'transition before its commit', 2],
  ['kill campaigns', null, 3],
  ['kill sending', null, 5],
  ['kill contacts', null, 2],
  ['kill gateway', null, 2],
  ['stop sending', null, 1],
  ['stop campaigns', null, 1],
  ['stop contacts', null, 1],
  ['crash postgres', null, 2],
  ['wipe nats', null, 1],
  ['kill nats', null, 1],
];
const transitionMs = 12_000;

export const strikePlan = (count: number, random: Random): Strike<State>[] =>
  strikesFrom([early, late], count, random);

export class CampaignStrikes extends ServiceStrikes<State> {
  constructor(stage: Stage) {
    super(stage, { service: 'campaigns', locks, rare: { 'transition before its commit': transitionMs } });
  }

  /** While the audience is written down, which takes a moment only. */
  freeze(): Promise<void> {
    return this.aim('kill campaigns', 'freeze before its page is written');
  }
}
