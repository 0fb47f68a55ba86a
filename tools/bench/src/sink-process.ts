import { SmtpSink } from '@posthorn/testing';

/** The sink has a process of its own, so that neither side pays for it. */
const sink = await SmtpSink.start({ keep: 'count', checkWire: false });
process.send!({ url: sink.url });
process.on('message', (wanted: number) => {
  const already = sink.count;
  const until = async () => {
    await sink.waitFor(already + 1, 600_000);
    const first = Date.now();
    await sink.waitFor(already + wanted, 600_000);
    process.send!({ count: wanted, ms: Date.now() - first });
  };
  void until();
});
