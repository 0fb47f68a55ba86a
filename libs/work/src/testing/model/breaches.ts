import type { Script } from '../scripted.work.js';

export interface ObservedItem {
  name: string;
  script: Script;
  effects: { step: number; version: number }[];
  runs: number;
  kills: number;
  deaths: number;
  isDead: boolean;
  /** How often it was enqueued, where that is counted. */
  version: number;
  cancelled: { gone: boolean; effectsThen: number } | null;
}

export interface Observed {
  items: ObservedItem[];
  ranWhilePaused: string[];
}

const maxKills = 3;

/** Where what happened is not what the model says. */
export function breachesOf({ items, ranWhilePaused }: Observed): string[] {
  return [...ranWhilePaused.map((name) => `${name} ran while paused`), ...items.flatMap(breachesOfItem)];
}

function breachesOfItem(item: ObservedItem): string[] {
  const { script, cancelled, deaths, isDead } = item;
  const breaches = cancelled?.gone
    ? breachesOfCancelled(item, cancelled.effectsThen)
    : breachesOfEffects(item);
  const mayDie = !cancelled?.gone && (script.does === 'always fails' || script.does === 'kills its process');
  if (isDead !== mayDie) breaches.push(mayDie ? 'is not dead' : 'is dead');
  if (deaths !== (mayDie ? 1 : 0)) breaches.push(`its handler heard of ${deaths} deaths`);
  if (item.kills > maxKills) breaches.push(`killed ${item.kills} processes`);
  return breaches.map((breach) => `${item.name}: ${breach}`);
}

/** Nothing more than at the answer; what completes in one step had done nothing. */
function breachesOfCancelled({ script, effects }: ObservedItem, effectsThen: number): string[] {
  const breaches =
    effects.length === effectsThen
      ? []
      : [`had ${effects.length - effectsThen} effects after it was cancelled`];
  const isWhole = effects.length === (script.does === 'goes on' ? script.steps : 1);
  if (isWhole) breaches.push('was completed and cancelled');
  if (effects.some(({ step }, index) => step !== index)) breaches.push(`did the steps ${stepsOf(effects)}`);
  return breaches;
}

function breachesOfEffects({ script, effects, version }: ObservedItem): string[] {
  switch (script.does) {
    case 'always fails':
    case 'kills its process':
      return effects.length === 0 ? [] : [`has ${effects.length} effects`];
    case 'is enqueued again': {
      const seen = Math.max(0, ...effects.map((effect) => effect.version));
      return seen === version && effects.length <= version
        ? []
        : [`saw the version ${seen} of ${version}, in ${effects.length} runs`];
    }
    case 'goes on':
      return stepsOf(effects) === Array.from({ length: script.steps }, (_, step) => step).join()
        ? []
        : [`did the steps ${stepsOf(effects)}`];
    default:
      return stepsOf(effects) === '0' ? [] : [`did the steps ${stepsOf(effects)}`];
  }
}

const stepsOf = (effects: ObservedItem['effects']): string => effects.map(({ step }) => step).join();
