import { answerJobs } from '../rendering/workers/worker-jobs.js';
import { compose, type Composed, type ComposeJob } from './compose.js';
import { release, isAlone } from './own-memory.js';

/** Bytes of their own: those of a small buffer lie in memory that others share. */
function composeApart(job: ComposeJob): Composed {
  const composed = compose(job);
  for (const { data } of job.files) release(data);
  return { ...composed, raw: isAlone(composed.raw) ? composed.raw : new Uint8Array(composed.raw) };
}

answerJobs<ComposeJob, Composed>(composeApart, ({ raw }) => [raw.buffer as ArrayBuffer]);
