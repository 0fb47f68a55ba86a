import { DeadLetter, InboxRow, OutboxRow } from '@posthorn/messaging';
import { DailyCountRow } from './daily-counts/daily-count.entity.js';
import { CreateAnalytics1763700000000 } from './migrations/1763700000000-create-analytics.js';

export const entities = [DailyCountRow, OutboxRow, InboxRow, DeadLetter];

export const migrations = [CreateAnalytics1763700000000];
