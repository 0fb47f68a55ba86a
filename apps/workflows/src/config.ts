import type { OutboundRules } from '@posthorn/outbound';
import { Env, ServiceConfig } from '@posthorn/platform';

const portsIn = (list: string): number[] => list.split(',').map((port) => Number(port.trim()));
const isPort = (port: number): boolean => Number.isInteger(port) && port > 0 && port < 65_536;

export class WorkflowsConfig extends ServiceConfig {
  @Env('WEBHOOK_ALLOW_PRIVATE', {
    kind: 'flag',
    default: 'false',
    describe:
      'whether webhooks may go to private and local addresses and to all ports, for development; the metadata addresses of clouds stay refused',
  })
  allowPrivate: boolean;

  @Env('WEBHOOK_PORTS', {
    kind: 'text',
    default: '80,443,8080,8443',
    check: (list) =>
      portsIn(list).every(isPort) ? undefined : 'must be port numbers with commas between them',
    describe: 'ports that webhooks may go to, with commas between them',
  })
  webhookPorts: string;

  @Env('RETENTION_EXECUTIONS_DAYS', {
    kind: 'number',
    default: '90',
    min: 1,
    max: 3650,
    describe: 'days for which executions that have ended are kept, with the steps that they took',
  })
  retentionExecutionsDays: number;

  @Env('RETENTION_WORKFLOW_VERSIONS_DAYS', {
    kind: 'number',
    default: '365',
    min: 1,
    max: 3650,
    describe:
      'days for which replaced graphs are kept that executions went through; others go when they are replaced',
  })
  retentionVersionsDays: number;
}

export const outboundRulesOf = ({ allowPrivate, webhookPorts }: WorkflowsConfig): OutboundRules => ({
  allowPrivate,
  ports: portsIn(webhookPorts),
});
