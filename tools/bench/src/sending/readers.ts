import { chooseQuietPort } from '@posthorn/dev';
import { EngagementTokens } from '@posthorn/mail';
import { agree, waitMs, type Bench } from '../bench.js';
import { loadAll } from '../load.js';
import { benchMail } from '../mail.js';
import { Process } from '../processes.js';
import { benchSecret, Product } from '../product.js';
import { makeProject } from './project.js';

const connections = 16;
const warmSeconds = 2;
const turnsInRound = 3;
const messages = 500;
const reader = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0' };

/** Readers open and click: the pixel and the redirect, beside a bare server that gathers and stores as much. */
export async function benchReaders(bench: Bench): Promise<void> {
  const { servers, scale, rows } = bench;
  const port = await chooseQuietPort();
  const reference = Process.run('sending/reference-reader.js', {
    DATABASE_URL: servers.databaseUrl,
    PORT: String(port),
  });
  await reference.untilOutput('ready');
  const product = await Product.start(servers, { DELIVERY_PAUSED: 'true' });
  try {
    const { token, projectId } = await makeProject(servers);
    const ids = await sent(product.url, token);
    const tokens = new EngagementTokens([benchSecret]);
    const of = (emailId: string) => ({ projectId, emailId, position: 0 });
    const paths = {
      open: ids.map((id) => `/t/o/${tokens.forOpen(of(id))}.gif`),
      click: ids.map((id) => `/t/c/${tokens.forClick({ ...of(id), url: 'https://shop.example/offers/7' })}`),
    };
    for (const [kind, all] of Object.entries(paths)) {
      const requested = () => ({
        method: 'GET' as const,
        path: all[(location += 1) % all.length]!,
        headers: reader,
      });
      const rates: [number[], number[]] = [[], []];
      const urls = [product.url, `http://127.0.0.1:${port}`];
      for (const url of urls) await loadAll([url], connections, warmSeconds, requested);
      for (let turn = 0; turn < scale.rounds * turnsInRound; turn += 1)
        for (const [side, url] of urls.entries())
          rates[side]!.push(
            (await loadAll([url], connections, scale.seconds / turnsInRound, requested)).perSecond,
          );
      rows.push({
        name: `${kind}s/s at ${connections} connections`,
        product: waitMs(rates[0]),
        reference: waitMs(rates[1]),
        floorPercent: 40,
      });
    }
    await agree(servers);
  } finally {
    await product.stop();
    await reference.stop();
  }
}

let location = 0;

async function sent(url: string, token: string): Promise<string[]> {
  const ids: string[] = [];
  for (let first = 0; first < messages; first += 1) {
    const answer = await fetch(`${url}/api/v1/emails`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(benchMail(20_000_000 + first)),
    });
    if (answer.status !== 202) throw new Error(`${answer.status} ${await answer.text()}`);
    ids.push(((await answer.json()) as { id: string }).id);
  }
  return ids;
}
