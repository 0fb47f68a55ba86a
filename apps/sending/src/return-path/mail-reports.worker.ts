import { readMailReport } from '@posthorn/mail';
import { answerJobs } from '../rendering/workers/worker-jobs.js';

answerJobs((raw: Uint8Array) => readMailReport(raw));
