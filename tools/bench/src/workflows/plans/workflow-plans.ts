import type { Bench } from '../../bench.js';
import { makeAudiences } from '../../campaigns/audiences.js';
import { databaseOf, inDatabase } from '../../databases.js';
import { recordPlans } from '../../plans/recorded-calls.js';
import { Product } from '../../product.js';
import { crowdsOf } from '../crowd.js';
import { Receivers } from '../webhooks/receivers.js';
import { webhookSteps } from './webhook-steps.js';
import { lastStep, workflowSteps } from './workflow-steps.js';
import { makeDefinitions } from './definitions.js';
import { storeExecutions } from './stored-executions.js';
import { fractionOfOthers, storeCalls } from './stored-calls.js';

/** They have executions that go on and subscriptions that are called. */
const contacts = 1_000;

/** Every statement of workflows, of the engine and of the dispatcher; fails where one reads a whole table. */
export async function writeWorkflowPlans(bench: Bench): Promise<void> {
  const { servers, scale } = bench;
  const many = scale.audiences.at(-1)!;
  const product = await Product.start(servers, { WEBHOOK_ALLOW_PRIVATE: 'true' });
  const receivers = await Receivers.open(1);
  try {
    const [crowd] = await crowdsOf(servers, await makeAudiences(servers, product, [contacts]));
    const { api } = crowd!.audience;
    const made = await makeDefinitions(crowd!, receivers.urls.healthy[0]!);
    await inDatabase(databaseOf(servers.databaseUrl, 'workflows'), async (client) => {
      await storeExecutions(client, made, many);
      await storeCalls(client, made, many);
      await recordPlans(bench, product, {
        services: ['workflows'],
        page: 'dist/workflow-plans.md',
        head: {
          script: 'npm run plans:workflows',
          title: 'Plans of workflows and webhooks',
          text: `Every statement that the workflows service asked while each of its routes was called, with ${many} executions of one workflow, most of which wait,
${many} calls of one webhook and as many calls of steps. What follows of a call by itself, as the steps of executions and the calls of endpoints, stands with it.`,
        },
        api,
        steps: async () => [
          ...(await workflowSteps(client, made)),
          ...(await webhookSteps(client, made)),
          lastStep(made),
        ],
        parts: {
          executions: Math.floor(many / fractionOfOthers),
          webhook_calls: Math.floor(many / fractionOfOthers),
        },
      });
    });
  } finally {
    await receivers.stop();
    await product.stop();
  }
}
