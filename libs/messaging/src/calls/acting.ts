import { AsyncLocalStorage } from 'node:async_hooks';
import type { Caller } from '@posthorn/contracts';

const acting = new AsyncLocalStorage<Caller | undefined>();

/** Undefined where a service acts by itself, or for several callers at once. */
export const actingCaller = (): Caller | undefined => acting.getStore();

/** Events of `work` name this caller; undefined: none. */
export function runAsCaller<T>(caller: Caller | undefined, work: () => T): T {
  return acting.run(caller, work);
}
