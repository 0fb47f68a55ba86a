import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { agree, type Bench } from '../bench.js';
import { measured } from '../hand-off.js';
import { fill } from '../load.js';
import { benchMail, newsletterData } from '../mail.js';
import { Product } from '../product.js';
import { makeNewsletter, makeProject, signMail } from './project.js';

const here = dirname(fileURLToPath(import.meta.url));
const paused = { DELIVERY_PAUSED: 'true' };
const connections = 16;

/** Backlogs that were accepted while delivery was paused: newsletters beside two processes from memory, plain mail beside a blaster. */
export async function benchDrains(bench: Bench): Promise<void> {
  const { servers, rows, scale } = bench;
  await Product.during(servers, paused, async (product) => {
    const { token, projectId, domain } = await makeProject(servers);
    const blasters = [await blast(bench)];
    const plain = await drain(bench, product, token);
    blasters.push(await blast(bench));
    const [before, after] = blasters;
    const row = { name: `hand-off/s of ${scale.drained} plain messages, beside smtp-source`, product: plain };
    rows.push(before && after ? { ...row, reference: (before + after) / 2, floorPercent: 12 } : row);
    await signMail(servers, projectId, domain);
    const template = await makeNewsletter(product.url, token);
    const theirs = [await twoMailers(bench)];
    const newsletters = await drain(bench, product, token, { template, data: newsletterData });
    theirs.push(await twoMailers(bench));
    rows.push({
      name: `hand-off/s of ${scale.drained} newsletters (template, counted, two signatures), beside two processes from memory`,
      product: newsletters,
      reference: (theirs[0]! + theirs[1]!) / 2,
      floorPercent: 50,
    });
    await agree(servers);
  });
}

async function drain(bench: Bench, product: Product, token: string, texts?: object): Promise<number> {
  await fill(product.url, token, bench.scale.drained, texts);
  await agree(bench.servers);
  const rate = measured(bench, bench.scale.drained);
  await product.restart('sending', {});
  const perSecond = await rate;
  await product.drained();
  await product.restart('sending', paused);
  return perSecond;
}

async function twoMailers(bench: Bench): Promise<number> {
  const each = Math.ceil(bench.scale.drained / 2);
  const mailers = ['a', 'b'].map((share) =>
    fork(join(here, 'reference-mailer.js'), [bench.sink.url, String(each), share]),
  );
  await Promise.all(mailers.map((mailer) => once(mailer, 'message')));
  const rate = measured(bench, 2 * each);
  const ended = Promise.all(mailers.map((mailer) => once(mailer, 'exit')));
  for (const mailer of mailers) mailer.send('go');
  const perSecond = await rate;
  await ended;
  return perSecond;
}

/** Postfix's own load generator, one message to a connection's transaction, nothing built and nothing kept. */
async function blast(bench: Bench): Promise<number | null> {
  const { host } = new URL(bench.sink.url);
  const { subject, body, text } = benchMail(0);
  const bytes = String(subject.length + body.length + text.length + 400);
  const rate = measured(bench, bench.scale.drained);
  const requested = [
    '-s',
    String(connections),
    '-m',
    String(bench.scale.drained),
    '-l',
    bytes,
    '-d',
    '-f',
    'hello@example.test',
    '-t',
    'reader@bench.test',
    host,
  ];
  try {
    await promisify(execFile)(process.env['SMTP_SOURCE_BIN'] ?? 'smtp-source', requested);
  } catch (error) {
    console.log(
      `no reference for plain messages: smtp-source, of Debian's package postfix, did not run (${(error as Error).message.trim()})`,
    );
    return null;
  }
  return rate;
}
