import { SmtpSink } from '@posthorn/testing';
import { watchedDomain } from './mail.js';

/** The sink has a process of its own, so that neither side pays for it. */
const sink = await SmtpSink.start({
  keep: 'count',
  checkWire: false,
  onMessage: ({ to }) => {
    if (to.endsWith(watchedDomain)) process.send!({ arrived: to });
  },
});
process.send!({ url: sink.url });

process.on('message', ({ count, skipped }: { count: number; skipped: number }) => {
  const already = sink.count;
  const until = async () => {
    await sink.waitFor(already + skipped + 1, 900_000);
    const first = performance.now();
    await sink.waitFor(already + skipped + count, 900_000);
    process.send!({ measured: count, ms: performance.now() - first });
  };
  void until();
});
