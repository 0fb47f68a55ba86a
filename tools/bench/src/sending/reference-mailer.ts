import { createHmac, generateKeyPairSync } from 'node:crypto';
import { Liquid } from 'liquidjs';
import nodemailer from 'nodemailer';
import { newsletter, newsletterData } from '../mail.js';

/** What the product does with a counted newsletter, from memory and with nothing to lose: render, count, sign, send. */
const [smtpUrl, count, share] = process.argv.slice(2) as [string, string, string];
const { hostname, port } = new URL(smtpUrl);
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const transport = nodemailer.createTransport({
  pool: true,
  host: hostname,
  port: Number(port),
  ignoreTLS: true,
  maxConnections: 8,
  maxMessages: 100,
  dkim: { domainName: 'example.test', keySelector: 'bench', privateKey },
});
const liquid = new Liquid({ outputEscape: 'escape' });
const body = liquid.parse(newsletter.body.replace('??', '| default:'));
const subject = liquid.parse(newsletter.subject);
const sign = (text: string): string =>
  createHmac('sha256', 'secret').update(text).digest('base64url').slice(0, 14);

async function send(index: number): Promise<void> {
  const html = String(await liquid.render(body, newsletterData));
  const counted = html.replaceAll(
    /href="([^"]+)"/g,
    (_, url: string) =>
      `href="http://127.0.0.1/t/c/${Buffer.from(`${index} ${url}`).toString('base64url')}${sign(url)}"`,
  );
  await transport.sendMail({
    from: 'hello@example.test',
    to: `reader-${share}-${index}@bench.test`,
    subject: String(await liquid.render(subject, newsletterData)),
    html: `${counted}<img src="http://127.0.0.1/t/o/${sign(String(index))}.gif" alt="">`,
    text: html.replaceAll(/<[^>]+>/g, ' '),
  });
}

process.once('message', () => {
  void Promise.all(Array.from({ length: Number(count) }, (_, index) => send(index))).then(() =>
    process.exit(),
  );
});
process.send!('ready');
