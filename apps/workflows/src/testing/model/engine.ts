import { DatabaseClock, newId, openDatabase, type Database } from '@posthorn/database';
import { Outbox, WakeUps } from '@posthorn/messaging';
import { Metrics, Tracing } from '@posthorn/telemetry';
import { slowBus, type ServiceFixture } from '@posthorn/testing';
import { WorkQueue, WorkRunner } from '@posthorn/work';
import { LenderStandings } from '../../authorities/standings.js';
import { EffectFence } from '../../cancellations/effect-fence.js';
import { WorkflowsConfig } from '../../config.js';
import { WorkflowCounts } from '../../counts/workflow-counts.repository.js';
import { entities, migrations } from '../../data-source.js';
import { Effects } from '../../executions/effects.js';
import { EndedExecutions, ExecutionsRepository } from '../../executions/executions.repository.js';
import { ExecutionEnds, ExecutionStore } from '../../executions/execution-store.js';
import { ExecutionWrites, ExecutionsWork } from '../../executions/executions.work.js';
import { People, ProjectZones } from '../../executions/people.js';
import { RenderedTextsRepository } from '../../texts/rendered-texts.repository.js';
import { UsedVariables } from '../../texts/used-variables.js';
import { TextsWork } from '../../texts/texts.work.js';
import { StepTexts } from '../../texts/step-texts.js';
import { Activations } from '../../executions/activations.js';
import { WebhookRequests } from '../../executions/webhook-requests.js';
import { Graphs } from '../../graphs/graphs.read-model.js';
import { RenderedTexts, SimulationsService } from '../../simulations/simulations.service.js';
import { FanOuts } from '../../starts/fan-outs.work.js';
import { Occurrences } from '../../starts/occurrences.subscribers.js';
import { Starts } from '../../starts/starts.work.js';
import { StartsRepository } from '../../starts/starts.repository.js';
import { WaitsRepository } from '../../waits/waits.repository.js';
import { CallsRepository } from '../../webhooks/calls/calls.repository.js';
import { EventCalls, EndedExecutionEvents } from '../../webhooks/events/event-calls.js';
import { StepCalls } from '../../webhooks/steps/step-calls.js';
import { WorkflowsRepository } from '../../workflows/workflows.repository.js';
import type { Faults } from './faults.js';

const config = Object.assign(new WorkflowsConfig(), { allowPrivate: true, webhookPorts: '443' });

/** One of several processes that execute workflows, inside of the process of the test. */
export async function startWorker(
  { environment, connection }: ServiceFixture,
  faults: Faults | null,
): Promise<() => Promise<void>> {
  const url = environment['WORKFLOWS_DATABASE_URL']!;
  const database = await openDatabase({ url, name: `worker-${newId()}`, poolSize: 8, entities, migrations });
  const wakeUps = new WakeUps(connection, 'workflows');
  const runner = new WorkRunner({
    database,
    wakeUps,
    leaseMs: 30_000,
    metrics: new Metrics('test'),
    tracing: new Tracing(),
  });
  faults?.into(database);
  buildWork(database, connection, new WorkQueue(database, wakeUps), faults?.around(runner) ?? runner);
  runner.onApplicationBootstrap();
  return async () => {
    await runner.onModuleDestroy();
    await database.close();
  };
}

function buildWork(
  database: Database,
  connection: ServiceFixture['connection'],
  queue: WorkQueue,
  runner: WorkRunner,
): ExecutionsWork {
  const bus = slowBus(connection);
  const used = new UsedVariables(bus);
  const texts = new StepTexts(bus, used);
  const standings = new LenderStandings(bus);
  const executions = new ExecutionsRepository(database);
  const counts = new WorkflowCounts(database);
  const calls = new StepCalls(new CallsRepository(database), queue);
  const ofEvents = new EventCalls(new CallsRepository(database), queue);
  const ends = new ExecutionEnds(
    database,
    executions,
    new EndedExecutions(database),
    counts,
    new EndedExecutionEvents(new Outbox(database), ofEvents),
    new People(bus),
  );
  const rendered = new RenderedTextsRepository(database);
  const store = new ExecutionStore(executions, new WaitsRepository(database), rendered, counts);
  const writes = new ExecutionWrites(
    database,
    store,
    new WebhookRequests(texts, standings, config),
    calls,
    ends,
    queue,
  );
  const activations = new Activations(
    database,
    executions,
    new People(bus),
    calls,
    new ProjectZones(bus),
    rendered,
  );
  new TextsWork(database, activations, texts, rendered, queue, runner);
  const fence = new EffectFence(database, standings);
  return new ExecutionsWork(
    activations,
    new Effects(bus, texts, standings, fence, used),
    writes,
    fence,
    runner,
  );
}

export const buildStarts = ({ database, queue }: ServiceFixture): Starts =>
  new Starts(new StartsRepository(database), new WorkflowCounts(database), queue);

export const buildOccurrences = (fixture: ServiceFixture): Occurrences => {
  const { database, queue } = fixture;
  const fanOuts = new FanOuts(new StartsRepository(database), buildStarts(fixture), queue);
  return new Occurrences(fanOuts, new WaitsRepository(database), queue);
};

export function buildSimulations({ database, connection }: ServiceFixture): SimulationsService {
  const bus = slowBus(connection);
  const used = new UsedVariables(bus);
  const texts = new StepTexts(bus, used);
  return new SimulationsService(
    new WorkflowsRepository(database),
    new Graphs(database),
    new People(bus),
    new RenderedTexts(bus, texts, new WebhookRequests(texts, new LenderStandings(bus), config), used),
    new ProjectZones(bus),
    new DatabaseClock(database),
  );
}
