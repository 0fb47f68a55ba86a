import { variablesOf } from '@posthorn/platform';
import type { Tree } from './tree.js';

export interface Instruction {
  text: string;
  /** With continued lines joined. */
  rest: string;
}

export interface Stage {
  name: string;
  image: string;
  instructions: Instruction[];
}

const texts = [
  'FROM',
  'ENV',
  'WORKDIR',
  'COPY',
  'RUN',
  'USER',
  'EXPOSE',
  'STOPSIGNAL',
  'HEALTHCHECK',
  'ENTRYPOINT',
  'CMD',
  'ARG',
  'LABEL',
];

/** Everything in the Dockerfile that would not build or not start, each in words; nothing when it is sound. */
export function dockerfileFindings(text: string, tree: Tree): string[] {
  const stages = readStages(text);
  const last = stages.at(-1);
  if (!last) return ['no FROM'];
  return [
    ...stages.flatMap((stage, index) => stageFindings(stage, stages.slice(0, index), tree)),
    ...startFindings(last, tree),
  ];
}

export function readStages(text: string): Stage[] {
  const lines = text.split('\n').filter((line) => !line.trimStart().startsWith('#'));
  const joined = lines.join('\n').replace(/\\\n\s*/g, ' ');
  const stages: Stage[] = [];
  for (const line of joined.split('\n').filter((each) => each.trim() !== '')) {
    const [, text, rest] = /^\s*(\S+)\s*(.*)$/.exec(line)!;
    const [, image, name] = /^(\S+)(?:\s+AS\s+(\S+))?$/i.exec(rest!) ?? [];
    if (text === 'FROM') stages.push({ name: name ?? '', image: image ?? '', instructions: [] });
    else stages.at(-1)?.instructions.push({ text: text!, rest: rest!.trim() });
  }
  return stages;
}

/** Sources and target of a COPY, and the stage or image that it takes them from. */
export function readCopy(rest: string): { from: string | null; sources: string[]; target: string } {
  const parts = rest.split(/\s+/);
  const from = parts.find((part) => part.startsWith('--from='))?.slice('--from='.length) ?? null;
  const paths = parts.filter((part) => !part.startsWith('--'));
  return { from, sources: paths.slice(0, -1), target: paths.at(-1) ?? '' };
}

export const argumentsOf = (rest: string): string[] | null => {
  const list = /\[.*\]$/.exec(rest)?.[0];
  return list ? (JSON.parse(list) as string[]) : null;
};

function stageFindings({ image, instructions }: Stage, earlier: Stage[], tree: Tree): string[] {
  const findings: string[] = [];
  const isStage = (name: string) => earlier.some((stage) => stage.name === name);
  if (!isStage(image) && (!/:[\w.-]+$/.test(image) || image.endsWith(':latest')))
    findings.push(`FROM ${image} needs a tag that stays`);
  for (const { text, rest } of instructions) {
    if (!texts.includes(text)) findings.push(`${text} is no instruction that is used here`);
    if (text === 'COPY') findings.push(...copyFindings(rest, isStage, tree));
    if (text === 'ENV') findings.push(...environmentFindings(rest, tree));
    for (const [, script] of text === 'RUN' ? rest.matchAll(/npm run ([\w:-]+)/g) : [])
      if (!tree.npmScripts.includes(script!))
        findings.push(`RUN npm run ${script}: package.json has no such script`);
  }
  return findings;
}

function environmentFindings(rest: string, tree: Tree): string[] {
  const known = Object.values(tree.services).flatMap((shape) =>
    Object.values(variablesOf(shape)).map(({ name }) => name),
  );
  const given = [...rest.matchAll(/(\w+)=/g)].map(([, name]) => name!);
  return given
    .filter((name) => name !== 'NODE_ENV' && !known.includes(name))
    .map((name) => `ENV ${name} is no variable of any service`);
}

function copyFindings(rest: string, isStage: (name: string) => boolean, tree: Tree): string[] {
  const { from, sources } = readCopy(rest);
  if (from !== null) return isStage(from) ? [] : [`COPY --from=${from}: there is no such stage before it`];
  return sources.flatMap((source) => {
    if (!tree.has(source)) return [`COPY ${source}: it is not there`];
    return tree.isIgnored(source) ? [`COPY ${source}: .dockerignore leaves it out`] : [];
  });
}

function startFindings({ instructions }: Stage, tree: Tree): string[] {
  const findings: string[] = [];
  const last = (text: string) => instructions.findLast((each) => each.text === text)?.rest;
  const user = last('USER') ?? 'root';
  if (!/^[1-9]\d*(:[1-9]\d*)?$/.test(user))
    findings.push(`USER ${user}: it must be a number above 0, so that all can see that it is not root`);
  const copied = new Map(
    instructions
      .filter(({ text }) => text === 'COPY')
      .flatMap(({ rest }) => (readCopy(rest).from ? [] : [targetAndSource(rest)])),
  );
  const entry = argumentsOf(last('ENTRYPOINT') ?? '');
  const source = entry && copied.get(entry[0]!);
  if (!entry) findings.push('ENTRYPOINT is not a list: a shell would keep SIGTERM for itself');
  else if (!source) findings.push(`ENTRYPOINT ${entry[0]} is nothing that was copied`);
  else if (!tree.isExecutable(source)) findings.push(`ENTRYPOINT: ${source} may not be executed`);
  const command = argumentsOf(last('CMD') ?? '');
  if (!command || !tree.services[command[0]!])
    findings.push(`CMD ${last('CMD')} names no service of this tree`);
  const health = argumentsOf(last('HEALTHCHECK') ?? '');
  if (!health?.some((text) => copied.has(text))) findings.push('HEALTHCHECK runs nothing that was copied');
  return findings;
}

function targetAndSource(rest: string): [string, string] {
  const { sources, target } = readCopy(rest);
  return [target, sources[0] ?? ''];
}
