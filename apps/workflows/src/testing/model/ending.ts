import { isDeepStrictEqual } from 'node:util';
import type { ExecutionStatus, StepStatus } from '@posthorn/contracts';

export interface Visited {
  step: string;
  visit: number;
  status: StepStatus;
  branch: string | null;
  /** The event that ended a wait, or the response of a webhook. */
  output: unknown;
}

export interface Called {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: unknown;
}

export interface Updated {
  updates: Record<string, unknown>;
  subscribed: boolean | null;
}

/** All that there is to see of an execution, but its instants. */
export interface Ending {
  status: ExecutionStatus;
  reason: string | null;
  path: Visited[];
  mails: { to: string; subject: string }[];
  calls: Called[];
  /** Without those that set what the one before has set. */
  updates: Updated[];
  fields: Record<string, unknown>;
  subscribed: boolean;
}

/** What sets the same as before changes nothing. */
export const withUpdate = (known: readonly Updated[], update: Updated): Updated[] =>
  isDeepStrictEqual(known.at(-1), update) ? [...known] : [...known, update];
