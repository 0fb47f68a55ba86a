import { nameOf, type KubernetesObject } from './rendered.js';

interface RouteRule {
  timeouts?: { request?: string; backendRequest?: string };
}

interface Scaler {
  triggers?: { metadata: { query?: string } }[];
  metrics?: { external?: { metric: { name: string } } }[];
}

const longestSeconds = 3_600;
const units: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3_600 };

/** The live stream, exports and imports last for as long as somebody reads: no way to the gateway may end them within an hour. */
export function longAnswerFindings(objects: readonly KubernetesObject[]): string[] {
  return objects.flatMap((object) => {
    if (object.kind === 'HTTPRoute') {
      const { rules = [] } = object['spec'] as { rules?: RouteRule[] };
      return rules.flatMap(({ timeouts = {} }) =>
        (['request', 'backendRequest'] as const)
          .filter((name) => !isLong(timeouts[name]))
          .map(
            (name) =>
              `${nameOf(object)}: answers end after ${timeouts[name] ?? 'a time that is not said'} (${name})`,
          ),
      );
    }
    if (object.kind !== 'Ingress') return [];
    const times = Object.entries(object.metadata.annotations ?? {}).filter(([name]) =>
      name.includes('timeout'),
    );
    if (times.length === 0) return [`${nameOf(object)}: does not say how long an answer may take`];
    return times
      .filter(([, time]) => !isLong(time))
      .map(([name, time]) => `${nameOf(object)}: ${name} is ${time}`);
  });
}

/** In the Gateway API, zero is no limit. */
function isLong(time: string | undefined): boolean {
  const [, count, unit] = /^(\d+)(ms|s|m|h)$/.exec(time ?? '') ?? [];
  const seconds = count === undefined ? -1 : Number(count) * units[unit!]!;
  return seconds === 0 || seconds >= longestSeconds;
}

/** Autoscalers ask for what the rules of deploy/observability record; the adapter cannot have colons in its names. */
export function scalerFindings(
  objects: readonly KubernetesObject[],
  recorded: ReadonlySet<string>,
): string[] {
  const known = new Set([...recorded].flatMap((name) => [name, name.replaceAll(':', '_')]));
  return objects
    .filter(({ kind }) => kind === 'ScaledObject' || kind === 'HorizontalPodAutoscaler')
    .flatMap((object) => {
      const { triggers = [], metrics = [] } = object['spec'] as Scaler;
      const asked = [
        ...triggers.map(({ metadata }) => metadata.query),
        ...metrics.flatMap(({ external }) => external?.metric.name ?? []),
      ];
      return asked
        .filter((name) => name === undefined || !known.has(name))
        .map((name) => `${nameOf(object)}: no rule records ${name}`);
    });
}
