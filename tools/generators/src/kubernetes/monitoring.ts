import { parse } from 'yaml';
import { labelsOf, product, type Manifest, type Target } from './manifest.js';

/** For the Prometheus operator: what deploy/observability says, in its objects. */
export function monitoringObjects(
  { namespace }: Target,
  read: (path: string) => string,
): Record<string, Manifest> {
  const head = (name: string, labels: Record<string, string> = {}) => ({
    metadata: { name, namespace, labels: { ...labelsOf('observability'), ...labels } },
  });
  const groups = ['alerts', 'kubernetes', 'scaling'].flatMap(
    (name) => (parse(read(`deploy/observability/${name}.yaml`)) as { groups: object[] }).groups,
  );
  return {
    podmonitor: {
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'PodMonitor',
      ...head(product),
      spec: {
        // The rules know the processes as job="posthorn".
        jobLabel: 'app.kubernetes.io/name',
        selector: { matchLabels: { 'app.kubernetes.io/name': product } },
        podMetricsEndpoints: [{ port: 'admin', path: '/metrics', interval: '15s' }],
      },
    },
    rules: {
      apiVersion: 'monitoring.coreos.com/v1',
      kind: 'PrometheusRule',
      ...head(product),
      spec: { groups },
    },
    board: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      ...head('posthorn-board', { grafana_dashboard: '1' }),
      data: { 'posthorn.json': read('deploy/observability/board.json') },
    },
  };
}
