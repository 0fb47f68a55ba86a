import { AsyncLocalStorage } from 'node:async_hooks';

const chosen = new AsyncLocalStorage<string>();

/** Grants for the project that the person has just chosen. Nothing is granted outside of this. */
export const granting = <T>(projectId: string, work: () => Promise<T>): Promise<T> =>
  chosen.run(projectId, work);

export const chosenProject = (): string | undefined => chosen.getStore();
