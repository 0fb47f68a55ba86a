import type { Caller } from '@posthorn/contracts';
import type { ReadingBus } from './reading-bus.js';

export type Values = Record<string, string | undefined>;

export interface Command {
  noun: string;
  verb: string;
  /** A trailing `?` marks what may be left out. */
  options: string[];
  /** What may stand without a name, such as an id. */
  positional?: string;
  /** Options without a value. */
  flags?: string[];
  inProject: boolean;
  /** The option of a member of the contract, where it has another name. */
  members?: Readonly<Record<string, string>>;
  describe: string;
  run: (bus: ReadingBus, caller: Caller, values: Values) => Promise<unknown>;
}
