import type { Api } from '../../audience/api.js';
import type { Crowd } from '../crowd.js';
import { chainOf, makeWorkflow, type MadeWorkflow } from '../workflow.js';

export const awaitedEvent = 'plans-purchase';
export const startEvent = 'plans-signup';

/** What the statements of the plans are about. */
export interface Definitions {
  crowd: Crowd;
  api: Api;
  url: string;
  /** A million executions; it starts by no event that comes. */
  large: MadeWorkflow;
  /** So many fewer that all of them can be ended and removed. */
  paused: MadeWorkflow;
  removed: MadeWorkflow;
  /** Executions of it wait for an event of real contacts. */
  waiting: MadeWorkflow;
  /** As that one; people move its executions. */
  moved: MadeWorkflow;
  /** Goes through every kind of step; an event starts it. */
  whole: MadeWorkflow;
  /** Has a million calls. */
  webhook: string;
  stoppedWebhook: string;
  removedWebhook: string;
}

interface Made {
  id: string;
}

const manual = { trigger_type: 'MANUAL', allow_reentry: true };
const waits = () =>
  chainOf(['WAIT_FOR_EVENT', { eventName: awaitedEvent, timeout: 3_000_000 }], ['EXIT', { reason: 'Done' }]);

export async function makeDefinitions(crowd: Crowd, url: string): Promise<Definitions> {
  const { api, template } = crowd.audience;
  const whole = chainOf(
    ['CONDITION', { field: 'contact.subscribed', operator: 'equals', value: true }],
    ['SEND_EMAIL', { templateId: template }],
    ['DELAY', { amount: 0.01, unit: 'minutes' }],
    ['UPDATE_CONTACT', { updates: { plan: 'pro' } }],
    ['WEBHOOK', { url, body: { email: '{{ contact.email }}' } }],
    ['WAIT_FOR_EVENT', { eventName: awaitedEvent, timeout: 1 }],
    ['EXIT', { reason: 'Done' }],
  );
  const webhook = async () =>
    (
      await api.post<Made>('/api/v1/webhooks', {
        ...{ url, event_types: ['contact.created', 'contact.deleted', 'workflow.completed'] },
      })
    ).id;
  return {
    ...{ crowd, api, url },
    large: await makeWorkflow(api, manual, waits()),
    paused: await makeWorkflow(api, manual, waits()),
    removed: await makeWorkflow(api, manual, waits()),
    waiting: await makeWorkflow(api, manual, waits()),
    moved: await makeWorkflow(api, manual, waits()),
    whole: await makeWorkflow(api, { ...manual, trigger_type: 'EVENT', event_name: startEvent }, whole),
    webhook: await webhook(),
    stoppedWebhook: await webhook(),
    removedWebhook: await webhook(),
  };
}
