import { AsyncLocalStorage } from 'node:async_hooks';
import type { Caller } from '@posthorn/contracts';

const acting = new AsyncLocalStorage<Caller | undefined>();

/** On whose behalf the present work is done; nobody's where a service acts by itself, or for several at once. */
export const actingCaller = (): Caller | undefined => acting.getStore();

export function actFor<T>(caller: Caller | undefined, work: () => T): T {
  return acting.run(caller, work);
}
