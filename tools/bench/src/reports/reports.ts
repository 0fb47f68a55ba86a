import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseQuietPort } from '@posthorn/dev';
import { buildReturnPath } from '@posthorn/mail';
import { signedSnsMessage, snsCertificate, snsTopic } from '@posthorn/testing';
import { nth, waitMs, type Bench } from '../bench.js';
import { inDatabase, databaseOf } from '../databases.js';
import { loadAll } from '../load.js';
import { Process } from '../processes.js';
import { benchSecret, Product } from '../product.js';
import { makeProject } from '../sending/project.js';
import { sendReports } from './smtp-load.js';
import { storeSentMail } from './stored-mail.js';

const connections = 16;
const warmSeconds = 2;
const reportedMails = 2_000;
/** Signed before the measurement: that is the work of Amazon. */
const signedReports = 12_000;
const textHeaders = { 'content-type': 'text/plain; charset=UTF-8' };
const explained = 300;

/** What comes back: reports of SES and bounces by mail, beside a bare server that stores the same payloads; and explanations among many e-mails. */
export async function benchReports(bench: Bench): Promise<void> {
  const { servers } = bench;
  const directory = mkdtempSync(join(tmpdir(), 'posthorn-sns-'));
  const certificate = join(directory, 'sns.pem');
  writeFileSync(certificate, snsCertificate);
  const inboundPort = await chooseQuietPort();
  const port = await chooseQuietPort();
  const reference = Process.run('reports/reference-report.js', {
    DATABASE_URL: servers.databaseUrl,
    PORT: String(port),
  });
  await reference.untilOutput('ready');
  const product = await Product.start(servers, {
    DELIVERY_PAUSED: 'true',
    SES_TOPIC_ARNS: snsTopic,
    SNS_CERTIFICATE_FILE: certificate,
    INBOUND_PORT: String(inboundPort),
  });
  try {
    const { projectId, token } = await makeProject(servers);
    const ids = await storeSentMail(servers, projectId, reportedMails, reportedMails);
    const urls = [product.url, `http://127.0.0.1:${port}`] as const;
    await compareSns(bench, urls, ids);
    await compareBounces(bench, { inboundPort, referenceUrl: urls[1] }, ids);
    await compareExplanations(bench, product.url, { projectId, token });
  } finally {
    await product.stop();
    await reference.stop();
    rmSync(directory, { recursive: true });
  }
}

async function compareSns(
  { scale, rows }: Bench,
  urls: readonly [string, string],
  ids: string[],
): Promise<void> {
  const signed = Array.from({ length: signedReports }, (_, index) =>
    JSON.stringify(signedReport(ids[index % ids.length]!)),
  );
  let next = 0;
  const requests = () => ({
    method: 'POST' as const,
    path: '/hooks/ses',
    headers: textHeaders,
    body: signed[next++ % signed.length]!,
  });
  const rates: [number[], number[]] = [[], []];
  for (const url of urls) await loadAll([url], connections, warmSeconds, requests);
  for (let turn = 0; turn < scale.rounds; turn += 1)
    for (const [side, url] of urls.entries()) {
      const { perSecond, failed } = await loadAll([url], connections, scale.seconds / 2, requests);
      if (failed > 0) throw new Error(`${failed} reports were not taken`);
      rates[side]!.push(perSecond);
    }
  rows.push({
    name: `reports of SES/s at ${connections} connections`,
    product: waitMs(rates[0]),
    reference: waitMs(rates[1]),
    floorPercent: 40,
  });
}

const signedReport = (emailId: string): object =>
  signedSnsMessage({
    MessageId: randomUUID(),
    Message: JSON.stringify({
      eventType: 'DeliveryDelay',
      mail: {
        messageId: 'ses',
        source: 'a@b.example',
        headers: [{ name: 'Message-ID', value: `<${emailId}@shop.example>` }],
      },
      deliveryDelay: {
        delayType: 'General',
        delayedRecipients: [{ emailAddress: 'x@bench.test', status: '4.4.1' }],
      },
    }),
  });

async function compareBounces(
  { scale, rows }: Bench,
  { inboundPort, referenceUrl }: { inboundPort: number; referenceUrl: string },
  ids: string[],
): Promise<void> {
  let next = 0;
  const report = () => {
    const emailId = ids[next % ids.length]!;
    const to = buildReturnPath(
      { emailId, position: 0 },
      { domain: 'bounces.shop.example', secret: benchSecret },
    );
    return { to, data: bounce(next++) };
  };
  const requests = () => ({
    method: 'POST' as const,
    path: '/hooks/ses',
    headers: textHeaders,
    body: bounce(next++),
  });
  const rates: [number[], number[]] = [[], []];
  await sendReports(inboundPort, connections, warmSeconds, report);
  for (let turn = 0; turn < scale.rounds; turn += 1) {
    rates[0].push(await sendReports(inboundPort, connections, scale.seconds / 2, report));
    rates[1].push((await loadAll([referenceUrl], connections, scale.seconds / 2, requests)).perSecond);
  }
  rows.push({
    name: `bounces by mail/s at ${connections} connections`,
    product: waitMs(rates[0]),
    reference: waitMs(rates[1]),
    floorPercent: 40,
  });
}

const bounce = (number: number): string =>
  `From: MAILER-DAEMON@mx.example\r\nSubject: Undelivered Mail ${number}\r\nMIME-Version: 1.0\r\nContent-Type: multipart/report; report-type=delivery-status; boundary="b"\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nIt is delayed.\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example\r\n\r\nFinal-Recipient: rfc822; x@bench.test\r\nAction: delayed\r\nStatus: 4.4.1\r\nDiagnostic-Code: smtp; 451 4.4.1 later\r\n\r\n--b--\r\n`;

async function compareExplanations(
  { servers, scale, rows }: Bench,
  url: string,
  { projectId, token }: { projectId: string; token: string },
): Promise<void> {
  const count = scale.audiences.at(-1)!;
  const ids = await storeSentMail(servers, projectId, count, explained);
  const headers = { authorization: `Bearer ${token}` };
  const product = await timed(ids, async (id) => {
    const answer = await fetch(`${url}/api/v1/emails/${id}/explain`, { headers });
    if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
    await answer.text();
  });
  const reference = await inDatabase(databaseOf(servers.databaseUrl, 'sending'), (client) =>
    timed(ids, async (id) => {
      for (const sql of byHand) await client.query(sql, [projectId, id]);
    }),
  );
  rows.push({
    name: `explanation of an e-mail among ${count}, p95 ms`,
    product: nth(product, 0.95),
    reference: nth(reference, 0.95),
    ceilingTimes: 2,
  });
}

const byHand = [
  `SELECT e.*, k.template_version FROM emails e LEFT JOIN email_contents k ON k.project_id = e.project_id AND k.id = e.content_id WHERE e.project_id = $1 AND e.id = $2`,
  `SELECT * FROM email_events WHERE project_id = $1 AND email_id = $2 ORDER BY at, id`,
  `SELECT d.*, s.reason, o.opted_out FROM deliveries d LEFT JOIN suppressions s ON s.project_id = d.project_id AND s.email = d.recipient
   LEFT JOIN opt_outs o ON o.project_id = d.project_id AND o.email = d.recipient WHERE d.project_id = $1 AND d.email_id = $2`,
];

async function timed(ids: readonly string[], read: (id: string) => Promise<void>): Promise<number[]> {
  const times: number[] = [];
  for (const id of ids.slice(0, ids.length / 3)) await read(id);
  for (const id of ids) {
    const began = performance.now();
    await read(id);
    times.push(performance.now() - began);
  }
  return times;
}
