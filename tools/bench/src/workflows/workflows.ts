import type { Bench } from '../bench.js';
import { makeAudiences } from '../campaigns/audiences.js';
import { Product } from '../product.js';
import { timed } from '../timed.js';
import { crowdsOf } from './crowd.js';
import { EventSource } from './event-source.js';
import { benchFirstEffects } from './first-effects.js';
import { benchSteps } from './steps.js';
import { benchTimers } from './timers.js';
import { benchWebhooks } from './webhooks/webhooks.js';

/** The receivers of webhooks are on this machine. */
const settings = { WEBHOOK_ALLOW_PRIVATE: 'true' };
const projectsAtOnce = 4;

/** Workflows and webhooks beside what the same work takes without them: steps, first effects, timers that wait, and calls. */
export async function benchWorkflows(bench: Bench): Promise<void> {
  await timed('timers', () => benchTimers(bench));
  const product = await Product.start(bench.servers, settings);
  try {
    await benchEngine(bench, product);
    await benchDispatcher(bench, product);
  } finally {
    await product.stop();
  }
}

async function benchEngine(bench: Bench, product: Product): Promise<void> {
  const { servers, scale } = bench;
  const part = Math.ceil(scale.executions / projectsAtOnce);
  const sizes = [scale.executions, ...Array.from({ length: projectsAtOnce }, () => part)];
  const audiences = await timed('audiences', () => makeAudiences(servers, product, sizes));
  const [whole, ...parts] = await crowdsOf(servers, audiences);
  const source = await EventSource.open(servers, 'contacts');
  try {
    await timed('first effects', () => benchFirstEffects(bench, whole!));
    await timed('steps of one project', () => benchSteps(bench, source, [whole!]));
    await timed('steps of several projects', () => benchSteps(bench, source, parts));
  } finally {
    await source.close();
  }
}

async function benchDispatcher(bench: Bench, product: Product): Promise<void> {
  const source = await EventSource.open(bench.servers, 'sending');
  try {
    await timed('webhooks', () => benchWebhooks({ ...bench, product, source }));
  } finally {
    await source.close();
  }
}
