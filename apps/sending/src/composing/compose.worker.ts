import { answerJobs } from '../rendering/workers/worker-jobs.js';
import { compose, type ComposeResult, type ComposeJob } from './compose.js';
import { freeIfLarge, ownsItsBuffer } from './array-buffers.js';

/** A small buffer shares its memory with others and cannot be transferred. */
function composeInThread(job: ComposeJob): ComposeResult {
  const composed = compose(job);
  for (const { data } of job.files) freeIfLarge(data);
  return { ...composed, raw: ownsItsBuffer(composed.raw) ? composed.raw : new Uint8Array(composed.raw) };
}

answerJobs<ComposeJob, ComposeResult>(composeInThread, ({ raw }) => [raw.buffer as ArrayBuffer]);
