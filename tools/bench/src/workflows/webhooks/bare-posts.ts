import { fork } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Receivers } from './receivers.js';

const file = join(dirname(fileURLToPath(import.meta.url)), 'reference-poster.js');

/** Posts a second of one process with nothing else to do, seen from the endpoints. */
export async function barePosts(posts: {
  endpoints: number;
  count: number;
  lanes: number;
  body: string;
}): Promise<number> {
  const { endpoints, count, lanes, body } = posts;
  const receivers = await Receivers.open(endpoints);
  const poster = fork(file, [JSON.stringify({ urls: receivers.urls.healthy, count, lanes, body })]);
  await once(poster, 'message');
  const ended = once(poster, 'exit');
  const arrivals = receivers.arrivals(count);
  poster.send('go');
  const { ms } = await arrivals;
  await ended;
  await receivers.stop();
  return (count / ms) * 1_000;
}
