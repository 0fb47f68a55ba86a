import { unavailable } from '@posthorn/contracts';

/** A client gets a response within two seconds even while Postgres hangs (docs/guarantees.md G17). */
export const ownDatabaseMs = 1_500;

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
