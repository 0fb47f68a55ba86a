import { finding, type Finding } from '../../judging/finding.js';
import { quantile } from '../suite.js';

export interface Measured {
  /** Milliseconds of each request, mail, execution and dialogue. */
  api: readonly number[];
  mail: readonly number[];
  workflow: readonly number[];
  bounces: readonly number[];
}

export interface Phase extends Measured {
  name: string;
}

export interface CrowdsEvidence {
  /** The first is the innocent alone. */
  phases: readonly Phase[];
  crashes: readonly string[];
}

const measured = ['api', 'mail', 'workflow', 'bounces'] as const;
const maxTimes = 2;
/** What is quicker than this is not noticed by anybody, whatever its ratio. */
const unnoticedMs = 100;

const p95 = (numbers: readonly number[]): number => quantile(numbers, 0.95);

export function judgeCrowds({ phases, crashes }: CrowdsEvidence): Finding[] {
  const [alone, ...crowded] = phases;
  return [
    ...crowded.map((phase) =>
      finding(
        'neighbours',
        `an innocent project beside ${phase.name}: p95 more than ${maxTimes} times as long as alone`,
        measured.reduce((sum, name) => sum + phase[name].length, 0),
        measured.map((name) => {
          const [before, now] = [p95(alone![name]), p95(phase[name])];
          return now > maxTimes * Math.max(before, unnoticedMs / maxTimes) || phase[name].length === 0
            ? `${name}: ${Math.round(now)} ms, ${Math.round(before)} ms alone`
            : null;
        }),
      ),
    ),
    finding('G18', 'a process ended', 1, [...crashes]),
  ];
}

export function linesOf({ phases }: CrowdsEvidence): string[] {
  const [alone] = phases;
  return phases.map((phase) => {
    const figures = measured.map((name) => {
      const [now, before] = [p95(phase[name]), p95(alone![name])];
      return `${name} ${Math.round(now)} ms (${(now / before).toFixed(1)} of ${phase[name].length})`;
    });
    return `${phase.name}: p95 ${figures.join(' · ')}`;
  });
}
