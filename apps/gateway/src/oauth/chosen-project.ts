import { AsyncLocalStorage } from 'node:async_hooks';

const chosen = new AsyncLocalStorage<string>();

/** Sets the project that the user has chosen to grant access to; outside of this call nothing can be granted. */
export const granting = <T>(projectId: string, work: () => Promise<T>): Promise<T> =>
  chosen.run(projectId, work);

export const chosenProject = (): string | undefined => chosen.getStore();
