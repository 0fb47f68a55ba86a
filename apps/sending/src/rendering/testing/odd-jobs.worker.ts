import { threadId } from 'node:worker_threads';
import { answerJobs } from '../workers/worker-jobs.js';

/** What a job may do to its thread. */
export type OddJob = { does: 'answers' | 'throws' | 'loops' | 'floods' | 'leaves'; value: number };

export interface OddAnswer {
  value: number;
  thread: number;
}

const does: Record<OddJob['does'], () => void> = {
  answers: () => undefined,
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

answerJobs<OddJob, OddAnswer>((job) => {
  does[job.does]();
  return { value: job.value, thread: threadId };
});
