import { StepRow, TransitionRow } from './graphs/graph.entity.js';
import { WebhookRow } from './webhooks/webhook.entity.js';
import { WorkflowRow } from './workflows/workflow.entity.js';
import { baseline } from './migrations/1767000000000-baseline.js';

export const entities = [WorkflowRow, StepRow, TransitionRow, WebhookRow];

export const migrations = [baseline];
