/**
 * Suites of `npm run test:long`, the longest first: each takes half a minute or more and proves a property (every route,
 * every caller, a model, killed processes, lost servers, the worst input), or does a guide from its beginning to its end.
 * What the product does every day is tested by `npm test`, which leaves these out.
 */
export const longSuites = [
  'route-walk.e2e.spec.ts',
  'services.e2e.spec.ts',
  'crash.e2e.spec.ts',
  'examples.e2e.spec.ts',
  'engine-model.db.spec.ts',
  'bad-starts.e2e.spec.ts',
  'erasures.e2e.spec.ts',
  'image.db.spec.ts',
  'pods.db.spec.ts',
  'embedded-servers.e2e.spec.ts',
  'nats-cluster.db.spec.ts',
  'callers-walk.db.spec.ts',
  'clients.e2e.spec.ts',
  'contact-imports.e2e.spec.ts',
  'work-model.db.spec.ts',
  'audience-guide.e2e.spec.ts',
  'poisonous-mail.e2e.spec.ts',
  'outages.e2e.spec.ts',
  'backup.e2e.spec.ts',
  'overdue-mail.e2e.spec.ts',
  'campaigns-guide.e2e.spec.ts',
  'segments-by-time.e2e.spec.ts',
  'killed-workers.db.spec.ts',
  'other-servers.e2e.spec.ts',
  'repair.db.spec.ts',
  'failed-credentials.db.spec.ts',
  'imports-at-work.db.spec.ts',
  'mail-limits.db.spec.ts',
  'workflows-guide.e2e.spec.ts',
  'rendering-failures.db.spec.ts',
  'wire-property.spec.ts',
  'unknown-outcomes.db.spec.ts',
  'subscriber-guide.db.spec.ts',
  'slow-sources.db.spec.ts',
  'work-faults.db.spec.ts',
  'webhooks-guide.e2e.spec.ts',
  'noisy-neighbours.db.spec.ts',
  'two-gateways.db.spec.ts',
  'provider-events-order.db.spec.ts',
  'evaluators.db.spec.ts',
  'partition-locks.db.spec.ts',
  'service-process.db.spec.ts',
  'live-scrape.db.spec.ts',
  'enumeration.db.spec.ts',
  'slow-name-servers.db.spec.ts',
  'hand-off-races.db.spec.ts',
  'bounces-guide.e2e.spec.ts',
  'worst-tables.spec.ts',
  'worst-mails.spec.ts',
  'worst-heads.spec.ts',
];

const names = longSuites.map((name) => name.replaceAll('.', '\\.')).join('|');
const long = `/(?:${names})$`;

/** The pattern of the paths that a tier leaves out: `short`, `long` or `all`. */
export const leftOut = { short: [long], long: [`^(?!.*${long})`], all: [] };
