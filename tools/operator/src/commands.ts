import {
  allowances,
  apiKeys,
  domains,
  projects,
  suppressions,
  usage,
  type Confine,
  type CreateApiKey,
  type DisabledReason,
  type GrantPreset,
  type Scope,
  type SuppressionReason,
  type UsageLimit,
  type WhenExhausted,
} from '@posthorn/contracts';
import { peopleCommands } from './people-commands.js';
import { rebuildCommands } from './rebuild-commands.js';
import { repairCommands } from './repair-commands.js';
import { overdueMailCommands } from './overdue-mail-commands.js';
import { secretsCommands } from './secrets-commands.js';
import type { Command } from './command.js';

/** Keys take a while to make. */
const waiting = { timeoutMs: 15_000 };

export const commands: Command[] = [
  {
    noun: 'projects',
    verb: 'create',
    options: ['name', 'owner?'],
    inProject: false,
    describe: 'make a project; without --owner, the address of a person, only keys reach it',
    run: (bus, caller, { name, owner }) =>
      bus.call(projects.create, caller, { name: name!, ...(owner ? { owner } : {}) }),
  },
  {
    noun: 'projects',
    verb: 'disable',
    options: ['reason'],
    inProject: true,
    describe: 'refuse sends and writes; queued mail is held',
    run: (bus, caller, { reason }) =>
      bus.call(projects.disable, caller, { id: caller.projectId, reason: reason as DisabledReason }),
  },
  {
    noun: 'projects',
    verb: 'enable',
    options: [],
    inProject: true,
    describe: 'undo disable',
    run: (bus, caller) => bus.call(projects.enable, caller, { id: caller.projectId }),
  },
  {
    noun: 'projects',
    verb: 'limits',
    options: ['secret?', 'public?'],
    inProject: true,
    describe: 'requests a second for sk_ and pk_ keys; left out: the default',
    members: { secretPerSecond: 'secret', publicPerSecond: 'public' },
    run: (bus, caller, values) =>
      bus.call(projects.limit, caller, {
        id: caller.projectId,
        secretPerSecond: count(values['secret']),
        publicPerSecond: count(values['public']),
      }),
  },
  {
    noun: 'keys',
    verb: 'create',
    options: [
      ...['name', 'preset?', 'mode?', 'scopes?', 'domain-id?'],
      ...['origins?', 'template-ids?', 'recipients?'],
    ],
    flags: ['subscribe-only'],
    inProject: true,
    describe:
      'make an API key; the token is shown once. A public key (--preset SENDING_ONLY) is confined by --subscribe-only, --origins, --template-ids and --recipients CONTACTS',
    members: { legacyGrantPreset: 'preset', templateIds: 'template-ids', subscribeOnly: 'subscribe-only' },
    run: (bus, caller, values) => {
      const { name, preset, mode, scopes, 'domain-id': domainId } = values;
      return bus.call(apiKeys.create, caller, {
        name: name!,
        ...(preset ? { legacyGrantPreset: preset as GrantPreset } : {}),
        ...(mode ? { mode: mode as 'LIVE' | 'TEST' } : {}),
        ...(scopes ? { scopes: scopes.split(',') as Scope[] } : {}),
        ...(domainId ? { domainId } : {}),
        ...confinementIn(values),
      });
    },
  },
  {
    noun: 'keys',
    verb: 'list',
    options: [],
    inProject: true,
    describe: 'every key, revoked ones too',
    run: (bus, caller) => bus.call(apiKeys.list, caller, {}),
  },
  {
    noun: 'keys',
    verb: 'revoke',
    options: ['id'],
    inProject: true,
    describe: 'end a key on every gateway within a second',
    run: (bus, caller, { id }) => bus.call(apiKeys.revoke, caller, { id: id! }),
  },
  {
    noun: 'domains',
    verb: 'verify',
    options: ['domain'],
    flags: ['signed'],
    inProject: true,
    describe:
      'vouch for a sending domain; with --signed its mail is signed at once, else the mail server signs, or nobody',
    run: (bus, caller, { domain, signed }) =>
      bus.call(domains.verify, caller, { domain: domain!, ...(signed ? { signed: true } : {}) }, waiting),
  },
  {
    noun: 'domains',
    verb: 'rotate-dkim',
    options: ['domain'],
    inProject: true,
    describe:
      'make new keys for a domain: each signs once its record is found, and the old one stays published for seven days',
    run: (bus, caller, { domain }) => bus.call(domains.rotateDkim, caller, { domain: domain! }, waiting),
  },
  {
    noun: 'suppressions',
    verb: 'add',
    options: ['email', 'reason?'],
    inProject: true,
    describe: 'send nothing to an address',
    run: (bus, caller, { email, reason }) =>
      bus.call(suppressions.put, caller, {
        email: email!,
        ...(reason ? { reason: reason as SuppressionReason } : {}),
      }),
  },
  {
    noun: 'suppressions',
    verb: 'remove',
    options: ['email'],
    inProject: true,
    describe: 'undo add',
    run: (bus, caller, { email }) => bus.call(suppressions.remove, caller, { email: email! }),
  },
  {
    noun: 'allowances',
    verb: 'set',
    options: ['limit', 'messages'],
    inProject: true,
    describe:
      'limit what a project sends: MONTHLY or DAILY for all mail, TRANSACTIONAL, CAMPAIGN, WORKFLOW or INBOUND for its mail of a month; --messages none removes the limit',
    run: (bus, caller, { limit, messages }) =>
      bus.call(allowances.set, caller, { limit: limit as UsageLimit, messages: messages! }),
  },
  {
    noun: 'allowances',
    verb: 'get',
    options: [],
    inProject: true,
    describe: 'what a project has sent this month and today, and its limits',
    run: (bus, caller) => bus.call(usage.get, caller, {}),
  },
  {
    noun: 'allowances',
    verb: 'at-limit',
    options: ['do'],
    inProject: true,
    describe: 'with --do HOLD mail over a limit waits for the next day or month, with --do FAIL it fails',
    run: (bus, caller, { do: whenExhausted }) =>
      bus.call(usage.update, caller, { whenExhausted: whenExhausted as WhenExhausted }),
  },
  ...peopleCommands,
  ...overdueMailCommands,
  ...secretsCommands,
  ...repairCommands,
  ...rebuildCommands,
];

type Values = Readonly<Record<string, string | undefined>>;

function confinementIn({
  origins,
  'template-ids': templateIds,
  recipients,
  'subscribe-only': subscribeOnly,
}: Values): Pick<CreateApiKey, 'confine'> {
  const confine: Confine = {
    ...(origins ? { origins: origins.split(',') } : {}),
    ...(templateIds ? { templateIds: templateIds.split(',') } : {}),
    ...(recipients ? { recipients: recipients as 'ANY' | 'CONTACTS' } : {}),
    ...(subscribeOnly ? { subscribeOnly: true } : {}),
  };
  return Object.keys(confine).length > 0 ? { confine } : {};
}

const count = (text: string | undefined): number | null => (text === undefined ? null : Number(text));
