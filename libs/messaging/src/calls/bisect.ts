import { isDataError } from '@posthorn/database';

/** Where Postgres refuses the content of a write, each half is written by itself, until one item is alone.
 * `failed` answers for it, and for all items of a write that failed for another reason. */
export async function bisect<In, Out>(
  items: readonly In[],
  write: (items: In[]) => Promise<Out[]>,
  failed: (items: In[], error: Error) => Promise<Out[]> | Out[],
): Promise<Out[]> {
  try {
    return await write([...items]);
  } catch (error) {
    if (items.length === 1 || !isDataError(error)) return failed([...items], error as Error);
    const half = items.length >> 1;
    const first = await bisect(items.slice(0, half), write, failed);
    return [...first, ...(await bisect(items.slice(half), write, failed))];
  }
}
