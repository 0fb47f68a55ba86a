import { nearestName } from '@posthorn/contracts';
import { StartError, withHelp } from '@posthorn/platform';
import type { Command } from './command.js';
import { commands } from './commands.js';
import type { Job } from './job.js';
import { jobOf, jobs } from './jobs.js';

const program = 'npm run posthorn --';

export const nameOf = ({ noun, verb }: Command): string => `${noun} ${verb}`;

export const helpOf = (command: Command): string => `${program} ${nameOf(command)} --help`;

/** All commands, those of a noun, or one. */
export function usage(noun?: string, verb?: string): string {
  const job = jobOf(noun);
  if (job) return `usage:\n${jobLines(job)}`;
  const ofNoun = commands.filter((each) => each.noun === noun);
  const exact = ofNoun.filter((each) => each.verb === verb);
  const shown = [exact, ofNoun, commands].find((some) => some.length > 0)!;
  const lines = shown.map((each) => `  ${synopsis(each)}\n      ${each.describe}`);
  if (shown === commands) lines.push(...Object.values(jobs).map(jobLines));
  return `usage:\n${lines.join('\n')}\n\nWithout --project the demo project of npm start is meant.`;
}

const jobLines = ({ synopsis: words, describe }: Job): string => `  ${program} ${words}\n      ${describe}`;

export function synopsis(command: Command): string {
  const { options, positional, flags = [], inProject } = command;
  const bare = positional
    ? [`<${positional}>`, ...flags.map((name) => `--${name}`)].join(' | ')
    : flags.map((name) => `[--${name}]`).join(' ');
  const texts = [...options, ...(inProject ? ['project?'] : [])].map((name) =>
    name.endsWith('?') ? `[--${name.slice(0, -1)} …]` : `--${name} …`,
  );
  return [program, nameOf(command), bare, ...texts].filter(Boolean).join(' ');
}

export function find(noun: string, verb: string | undefined): Command {
  const ofNoun = commands.filter((each) => each.noun === noun);
  const found = ofNoun.find((each) => each.verb === verb);
  if (found) return found;
  if (ofNoun.length > 0 && verb === undefined)
    throw new StartError(
      withHelp(
        `${noun} needs one of ${ofNoun.map((each) => each.verb).join(', ')}`,
        `${program} ${noun} --help`,
      ),
    );
  const given = [noun, verb].filter(Boolean).join(' ');
  const nearest =
    nearestName(given, commands.map(nameOf)) ??
    nearestName(noun, [...commands.map((each) => each.noun), ...Object.keys(jobs)]);
  throw new StartError(
    withHelp(`unknown command ${given}${nearest ? `; did you mean ${nearest}?` : ''}`, `${program} --help`),
  );
}
