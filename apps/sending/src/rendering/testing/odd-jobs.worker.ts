import { threadId } from 'node:worker_threads';
import { answerJobs } from '../workers/worker-jobs.js';

export type FaultyJob = {
  does: 'answers' | 'spins' | 'throws' | 'loops' | 'floods' | 'leaves';
  value: number;
};

export interface FaultyReply {
  value: number;
  thread: number;
}

const does: Record<FaultyJob['does'], () => void> = {
  answers: () => undefined,
  spins: () => {
    for (const until = performance.now() + 60; performance.now() < until;);
  },
  throws: () => {
    throw Object.assign(new RangeError('cannot'), { line: 7 });
  },
  loops: () => {
    for (;;);
  },
  floods: () => {
    const stored: unknown[] = [];
    for (;;) stored.push(new Array(100_000).fill(stored.length));
  },
  leaves: () => process.exit(1),
};

answerJobs<FaultyJob, FaultyReply>((job) => {
  does[job.does]();
  return { value: job.value, thread: threadId };
});
