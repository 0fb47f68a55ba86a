import { baselineOf } from '@posthorn/database';
import { messagingTables } from '@posthorn/messaging';
import { workTables } from '@posthorn/work';
import { countsTables } from './baseline/counts.js';

export const baseline = baselineOf('Analytics', [messagingTables, workTables, countsTables]);
