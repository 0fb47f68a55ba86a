import { SmtpSink } from '@posthorn/testing';

/** A mail server of its own, so that it can be killed; it writes down what it takes before it answers. */
const [port, ledger] = process.argv.slice(2);
const sink = await SmtpSink.start({ port: Number(port), ledger, memory: `${ledger}.shown`, keep: 'count', checkWire: true, trickleMs: 20 });
process.send!('ready');
process.on('message', (seconds: number) => {
  sink.rules.faults = { connect: { kind: 'reply', text: '421 4.3.2 going down' } };
  sink.disconnect();
  setTimeout(() => (sink.rules.faults = {}), seconds * 1_000);
});
process.on('disconnect', () => process.exit());
