import { compileMjml } from './mjml.js';
import { answerJobs } from './workers/worker-jobs.js';

export type MjmlJob = string;

answerJobs((source: MjmlJob) => compileMjml(source));
