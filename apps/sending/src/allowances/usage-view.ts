import type { SourceType, Usage, UsageCount, UsageLimit } from '@posthorn/contracts';
import type { UsageRecord } from './usage.repository.js';

export function usageView({ sent, limits, whenExhausted, nextDay, nextMonth }: UsageRecord): Usage {
  const countOf = (limit: UsageLimit): UsageCount => ({ emailsSent: sent[limit], limit: limits[limit] });
  const categories = {
    transactional: countOf('TRANSACTIONAL'),
    campaign: countOf('CAMPAIGN'),
    workflow: countOf('WORKFLOW'),
    inbound: countOf('INBOUND'),
  } satisfies Record<Lowercase<SourceType>, UsageCount>;
  return {
    plan: 'SELF_HOSTED',
    whenExhausted,
    monthly: { ...countOf('MONTHLY'), categories, resetsAt: nextMonth },
    daily: {
      ...countOf('DAILY'),
      trustTier: limits.DAILY === null ? 'UNLIMITED' : 'LIMITED',
      resetsAt: nextDay,
    },
  };
}
