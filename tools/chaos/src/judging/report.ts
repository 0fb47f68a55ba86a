import { states, type State } from '../faults/faults.js';
import type { Finding } from './finding.js';

export interface RunFigures {
  sends: number;
  seed: number;
  seconds: number;
  answers: Record<string, number>;
  copies: number;
  repeats: number;
  doubted: number;
  hits: Record<State, number>;
  injected: ReadonlyMap<string, number>;
  missed: number;
  /** Each state must have been hit so often, or the run proves little. */
  wantedHits: number;
}

const shown = 5;

/** Prints what was found; returns whether every property held and every state was hit. */
export function report(figures: RunFigures, findings: Finding[]): boolean {
  const { hits, injected, wantedHits } = figures;
  console.log(`\nFaults by the state that they hit (each at least ${wantedHits}):`);
  for (const state of states)
    console.log(
      `  ${state.padEnd(34)} ${String(hits[state]).padStart(4)}${hits[state] < wantedHits ? '   too few' : ''}`,
    );
  console.log('Faults by weapon:');
  console.log(
    `  ${[...injected].map(([fault, count]) => `${fault} ${count}`).join(' · ')}${figures.missed ? ` · missed ${figures.missed}` : ''}`,
  );
  console.log(
    `Answers: ${Object.entries(figures.answers)
      .map(([answer, count]) => `${answer} ${count}`)
      .join(' · ')}`,
  );
  console.log(
    `At the mail server: ${figures.copies} messages, ${figures.repeats} repeats ; ${figures.doubted} were in hand-off or in doubt at a fault`,
  );
  const { held, broken } = printFindings(findings);
  const enough = states.every((state) => hits[state] >= wantedHits);
  const { injected: _, ...rest } = figures;
  console.log(`\nCHAOS ${JSON.stringify({ ...rest, held, enough, broken })}`);
  return held && enough;
}

/** Returns whether every property held, and which did not. */
export function printFindings(findings: readonly Finding[]): { held: boolean; broken: string[] } {
  console.log('\nProperties:');
  for (const { property, looksFor: searches, looked: checked, broken } of findings) {
    console.log(
      `  ${broken.length === 0 ? 'held  ' : 'BROKEN'} ${property.padEnd(10)} ${broken.length} of ${checked}  ${searches}`,
    );
    for (const line of broken.slice(0, shown)) console.log(`           ${line}`);
    if (broken.length > shown) console.log(`           … and ${broken.length - shown} more`);
  }
  const broken = findings.filter((each) => each.broken.length > 0).map(({ property }) => property);
  return { held: broken.length === 0, broken };
}
