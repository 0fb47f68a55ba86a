import { moreStructuredReports } from './more-structured-reports.js';
import { complaints, noReports } from './other-mails.js';
import { plainReports } from './plain-reports.js';
import type { Sample } from './samples.js';
import { structuredReports } from './structured-reports.js';

/** Reports in the published formats of common mail servers, and mail that is none. */
export const corpus: readonly Sample[] = [
  ...structuredReports,
  ...moreStructuredReports,
  ...plainReports,
  ...complaints,
  ...noReports,
];
