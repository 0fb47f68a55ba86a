import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';

interface Posts {
  urls: string[];
  count: number;
  /** So many at once. */
  lanes: number;
  body: string;
}

/** Bare posts from memory: each has an id and a signature of its own, and its answer is read. */
const { urls, count, lanes, body } = JSON.parse(process.argv[2]!) as Posts;
const dispatcher = new Agent({ connections: 16, pipelining: 1 });
const key = randomBytes(24);
let next = 0;

async function lane(): Promise<void> {
  for (let index = next++; index < count; index = next++) await post(urls[index % urls.length]!);
}

async function post(url: string): Promise<void> {
  const id = randomUUID();
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Posthorn',
    ...{ 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` },
  };
  const response = await request(url, { dispatcher, method: 'POST', headers, body });
  await response.body.text();
  if (response.statusCode !== 200) throw new Error(`a post was answered ${response.statusCode}`);
}

process.once('message', () => {
  void Promise.all(Array.from({ length: lanes }, lane)).then(() => process.exit());
});
process.send!('ready');
