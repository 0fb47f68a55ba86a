import { graphFor, startEvent } from './workflow-graph.js';
import { fieldsOf, type Participant } from './workflow-participants.js';
import type { Tenant } from '../tenant.js';
import type { WebhookReceiver } from './webhook-receiver.js';

export const paths = { step: '/step', events: '/events' } as const;

export interface Built {
  workflowId: string;
  webhookId: string;
  /** Of steps, by name. */
  stepIds: ReadonlyMap<string, string>;
}

/** Contacts, an enabled workflow that an event starts, and a subscription to what becomes of it. */
export async function build(
  tenant: Tenant,
  receiver: WebhookReceiver,
  participants: readonly Participant[],
): Promise<Built> {
  await tenant.makeContacts(
    participants.map((participant) => ({
      ...{ email: participant.email, subscribed: true, custom_fields: fieldsOf(participant) },
    })),
  );
  const { id: webhookId } = await tenant.surely('POST', '/api/v1/webhooks', {
    url: receiver.url(paths.events),
    event_types: ['email.sent', 'workflow.completed', 'workflow.failed'],
  });
  const { id: workflowId } = await tenant.surely('POST', '/api/v1/workflows', {
    ...{ name: 'Welcome', trigger_type: 'EVENT', event_name: startEvent },
  });
  const path = `/api/v1/workflows/${workflowId as string}`;
  const graph = graphFor(receiver.url(paths.step));
  await tenant.surely('PUT', `${path}/graph`, graph.body);
  await tenant.surely('POST', `${path}/resume`);
  return { workflowId: workflowId as string, webhookId: webhookId as string, stepIds: graph.ids };
}
