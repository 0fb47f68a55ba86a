import { messagingEntities } from '@posthorn/messaging';
import { DailyCountRow } from './daily-counts/daily-count.entity.js';
import { baseline } from './migrations/1767000000000-baseline.js';

export const entities = [DailyCountRow, ...messagingEntities];

export const migrations = [baseline];
