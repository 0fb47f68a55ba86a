import { SmtpSink } from '@posthorn/testing';
import { watchedDomain } from './mail.js';

let lastAt = 0;

/** The sink has a process of its own, so that neither side pays for it. */
const sink = await SmtpSink.start({
  keep: 'count',
  checkWire: false,
  onMessage: ({ to, receivedAt }) => {
    lastAt = receivedAt;
    if (to.endsWith(watchedDomain)) process.send!({ arrived: to });
  },
});
process.send!({ url: sink.url });

interface Command {
  count?: number;
  skipped?: number;
  last?: true;
}

process.on('message', ({ count = 0, skipped = 0, last }: Command) => {
  const already = sink.count;
  const until = async () => {
    await sink.waitFor(already + skipped + 1, 900_000);
    const first = performance.now();
    await sink.waitFor(already + skipped + count, 900_000);
    process.send!({ measured: count, ms: performance.now() - first });
  };
  if (last) process.send!({ lastAt });
  else void until();
});
