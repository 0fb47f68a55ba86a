import type { Bench } from '../bench.js';
import { databaseOf, inDatabase } from '../databases.js';
import { cpuSecondsOfParent } from '../processes.js';
import { Product } from '../product.js';
import type { Row } from '../report.js';
import type { Api } from './api.js';
import { differingCondition, equalCondition } from './conditions.js';
import { makeFixtures, untilEvaluated } from './fixture.js';

const connectionCounts = [1, 16, 64] as const;
const warmSeconds = 2;
/** A run of the largest audience takes seconds. */
const fewestSeconds = 5;

/** Previews a second through the front door of one project, what each costs Postgres, and how many are refused: the same condition, and
 * a new one each. */
export async function benchPreviews(bench: Bench): Promise<void> {
  const { servers, scale } = bench;
  await Product.during(servers, { DELIVERY_PAUSED: 'true' }, async (product) => {
    for (const contacts of scale.audiences) {
      const { tracked } = await makeFixtures(servers, product, contacts);
      await untilEvaluated(servers);
      await inDatabase(databaseOf(servers.databaseUrl, 'contacts'), async (client) => {
        const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
        const cpu = () => cpuSecondsOfParent(rows[0]!.pid);
        const seconds = Math.max(scale.seconds, fewestSeconds);
        bench.rows.push(...(await measureAll(tracked.api, { contacts, seconds, cpu })));
      });
    }
  });
}

interface Measured {
  contacts: number;
  seconds: number;
  /** Of Postgres. */
  cpu: () => number;
}

async function measureAll(api: Api, { contacts, seconds, cpu }: Measured): Promise<Row[]> {
  let turn = 0;
  const kinds: Record<string, () => object> = {
    equal: () => equalCondition,
    different: () => differingCondition((turn += 1)),
  };
  const rows: Row[] = [];
  for (const [kind, condition] of Object.entries(kinds)) {
    await preview(api, 1, warmSeconds, condition);
    for (const connections of connectionCounts) {
      const [began, cpuBefore] = [performance.now(), cpu()];
      const { answered, refused } = await preview(api, connections, seconds, condition);
      const perSecond = (answered / (performance.now() - began)) * 1_000;
      const each = ((cpu() - cpuBefore) / answered) * 1_000;
      const name = `${kind} previews at ${connections}, ${contacts} contacts`;
      console.log(
        `${name}: ${perSecond.toFixed(1)} a second, ${each.toFixed(1)} ms of Postgres each, ${refused} refused beside ${answered}`,
      );
      rows.push(
        { name: `${name}, a second`, product: perSecond },
        { name: `${name}, ms of Postgres each`, product: each },
        { name: `${name}, refused per cent`, product: (refused / (answered + refused)) * 100, ceiling: 0 },
      );
    }
  }
  return rows;
}

/** Everybody waits for the last answer, so that nothing of a measurement runs in the next. */
async function preview(
  api: Api,
  connections: number,
  seconds: number,
  condition: () => object,
): Promise<{ answered: number; refused: number }> {
  const until = performance.now() + seconds * 1_000;
  let [answered, refused] = [0, 0];
  const client = async () => {
    while (performance.now() < until) {
      const { method, headers, body } = api.posting('', { condition: condition() });
      const answer = await fetch(`${api.url}/api/v1/segments/preview`, { method, headers, body: body! });
      await answer.arrayBuffer();
      if (answer.ok) answered += 1;
      else if (answer.status === 429) refused += 1;
      else throw new Error(`a preview was answered ${answer.status}`);
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  return { answered, refused };
}
