import { parseArgs } from 'node:util';
import { nearestName } from '@posthorn/contracts';
import { StartError } from './config.js';

export interface KnownArguments {
  /** Options with a value. */
  options?: readonly string[];
  flags?: readonly string[];
  /** How many words may stand without a name. */
  words?: number;
  help: string;
}

export interface GivenArguments {
  values: Record<string, string | undefined>;
  flags: ReadonlySet<string>;
  words: string[];
}

export const wantsHelp = (texts: readonly string[]): boolean =>
  texts[0] === 'help' || texts.some((text) => text === '--help' || text === '-h');

/** A mistake is thrown as one line that says what to do. */
export function readArguments(texts: readonly string[], known: KnownArguments): GivenArguments {
  const { options = [], flags = [], words = 0, help } = known;
  const given: GivenArguments = { values: {}, flags: new Set(), words: [] };
  const seenFlags = new Set<string>();
  const types = [
    ...options.map((name) => [name, { type: 'string' }] as const),
    ...flags.map((name) => [name, { type: 'boolean' }] as const),
  ];
  const { tokens } = parseArgs({
    args: [...texts],
    options: Object.fromEntries(types),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const refuse = (mistake: string): never => {
    throw new StartError(withHelp(mistake, help));
  };
  for (const token of tokens) {
    if (token.kind === 'positional') {
      if (given.words.push(token.value) > words) refuse(`unexpected argument ${token.value}`);
    } else if (token.kind === 'option') {
      const { name, rawName, value, inlineValue } = token;
      if (flags.includes(name)) {
        if (value !== undefined) refuse(`--${name} takes no value`);
        seenFlags.add(name);
      } else if (options.includes(name)) {
        const isNextOption = !inlineValue && value?.startsWith('-');
        if (!value || isNextOption) refuse(`--${name} needs a value`);
        given.values[name] = value;
      } else {
        refuse(unknown(rawName, [...options, ...flags]));
      }
    }
  }
  return { ...given, flags: seenFlags };
}

/** The mistake may end with a question. */
export const withHelp = (mistake: string, help: string): string =>
  `${mistake}${mistake.endsWith('?') ? ' See' : '; see'} ${help}`;

function unknown(rawName: string, known: readonly string[]): string {
  const nearest = nearestName(rawName.replace(/^-+/, ''), known);
  return `unknown option ${rawName}${nearest ? `; did you mean --${nearest}?` : ''}`;
}
