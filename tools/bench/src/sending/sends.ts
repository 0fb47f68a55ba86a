import { agree, type Bench } from '../bench.js';
import { besides, type Requested } from '../load.js';
import { benchMail, newsletterData } from '../mail.js';
import { Product } from '../product.js';
import { makeNewsletter, makeProject } from './project.js';

const inBatch = 100;

/** Ways to send, beside the plain one: by template, and a hundred at once. */
export async function benchSends(bench: Bench): Promise<void> {
  await Product.during(bench.servers, { DELIVERY_PAUSED: 'true' }, async (product) => {
    const { token } = await makeProject(bench.servers);
    const template = await makeNewsletter(product.url, token);
    const post = (path: string, body: object): Requested => ({
      method: 'POST',
      path,
      body: JSON.stringify(body),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });
    const plain = () => post('/api/v1/emails', mail());
    const templated = () => post('/api/v1/emails', { to: mail().to, template, data: newsletterData });
    const batch = () => post('/api/emails/batch', { emails: Array.from({ length: inBatch }, mail) });
    const urls = [product.url];
    const single = { urls, requests: plain };
    const byTemplate = `templated accepts/s at 16 connections, beside plain ones`;
    await besides(bench, byTemplate, 70, [{ urls, requests: templated }, single]);
    const inBatches = `messages/s in batches of ${inBatch}, beside single sends`;
    await besides(bench, inBatches, 500, [{ urls, requests: batch, each: inBatch }, single]);
    await agree(bench.servers);
  });
}

let location = 0;
const mail = () => benchMail((location += 1) + 10_000_000);
