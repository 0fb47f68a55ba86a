import { appendFileSync } from 'node:fs';
import { SmtpSink } from '@posthorn/testing';
import { otherBytes } from './judging/ledger.js';

/** A mail server of its own, so that it can be killed; it writes down what it takes before it answers. */
const [port, ledger, keeps] = process.argv.slice(2) as [string, string, string?];
const sink = await SmtpSink.start({
  port: Number(port),
  ledger,
  memory: `${ledger}.shown`,
  keep: 'count',
  checkWire: true,
  trickleMs: 20,
  onMessage: ({ to, raw }) => {
    if (keeps === 'bytes')
      appendFileSync(otherBytes(ledger), `${JSON.stringify({ to, raw: raw!.toString('base64') })}\n`);
  },
});
process.send!('ready');
process.on('message', (seconds: number) => {
  sink.rules.faults = { connect: { kind: 'reply', text: '421 4.3.2 going down' } };
  sink.disconnect();
  setTimeout(() => (sink.rules.faults = {}), seconds * 1_000);
});
process.on('disconnect', () => process.exit());
