import type { Caller } from '@posthorn/contracts';
import type { Environment } from '@posthorn/platform';
import type { ReadingBus } from './reading-bus.js';

export type Values = Record<string, string | undefined>;

interface CommandLine {
  noun: string;
  verb: string;
  /** A trailing `?` marks what may be left out. */
  options: string[];
  /** What may stand without a name, such as an id. */
  positional?: string;
  /** Options without a value. */
  flags?: string[];
  /** The option of a member of the contract, where it has another name. */
  members?: Readonly<Record<string, string>>;
  describe: string;
}

/** Asks the services. */
export interface Command extends CommandLine {
  inProject: boolean;
  run: (bus: ReadingBus, caller: Caller, values: Values) => Promise<unknown>;
}

/** Works on the servers themselves, also where no service runs. */
export interface OfflineCommand extends CommandLine {
  runAlone: (prompt: Prompt, values: Values) => Promise<unknown>;
}

/** Where a command runs: its environment, and what it says. */
export interface Prompt {
  environment: Environment;
  print(text: string): void;
  complain(text: string): void;
}

export type AnyCommand = Command | OfflineCommand;
export const isOffline = (command: AnyCommand): command is OfflineCommand => 'runAlone' in command;
