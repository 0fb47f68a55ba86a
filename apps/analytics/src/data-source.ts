import { messagingEntities } from '@posthorn/messaging';
import { DailyCountRow } from './daily-counts/daily-count.entity.js';
import { CreateAnalytics1763700000000 } from './migrations/1763700000000-create-analytics.js';
import { RepairAnalyticsMessaging1763800000000 } from './migrations/1763800000000-repair-messaging.js';
import { TraceAnalyticsFacts1763900000000 } from './migrations/1763900000000-trace-facts.js';
import { AttributeAnalyticsFacts1764200000000 } from './migrations/1764200000000-attribute-facts.js';
import { QuarantineAnalyticsEvents1764600000000 } from './migrations/1764600000000-quarantine-events.js';

export const entities = [DailyCountRow, ...messagingEntities];

export const migrations = [
  CreateAnalytics1763700000000,
  RepairAnalyticsMessaging1763800000000,
  TraceAnalyticsFacts1763900000000,
  AttributeAnalyticsFacts1764200000000,
  QuarantineAnalyticsEvents1764600000000,
];
