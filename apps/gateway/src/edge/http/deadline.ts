import { unavailable } from '@posthorn/contracts';

/** A client hears within two seconds, also when Postgres neither answers nor refuses (docs/guarantees.md G17). */
export const ownDatabaseMs = 1_500;

/** What `work` answers, or `unavailable` when it takes longer. */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable()), milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
