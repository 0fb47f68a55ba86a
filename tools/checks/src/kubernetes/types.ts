import { dirname, join } from 'node:path';
import ts from 'typescript';
import { nameOf, type KubernetesObject } from './rendered.js';

/** Where the types of a group are; those of Kubernetes itself are in the package of its name. */
const packages: Record<string, string> = {
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
  'cert-manager.io': '@kubernetes-models/cert-manager',
  'postgresql.cnpg.io': '@kubernetes-models/cloudnative-pg',
  'external-secrets.io': '@kubernetes-models/external-secrets',
};

const fileName = 'kubernetes-objects.ts';

/**
 * Each object as a literal of its type, for the compiler: it finds members that do not exist, which the validators of the
 * same packages let pass.
 */
export function typeFindings(root: string, objects: readonly KubernetesObject[]): string[] {
  const texts = new Map(objects.map((object) => [JSON.stringify(object), object]));
  const known = [...texts].filter(([, object]) => moduleOf(object) !== null);
  const lines = known.map(
    ([text, object], index) =>
      `export const object${index}: import('${moduleOf(object)!}').I${object.kind} = ${text};`,
  );
  const compiled = [...texts.values()].filter((object) => moduleOf(object) === null);
  return [
    ...compiled.map((object) => `${nameOf(object)}: nothing is known of ${object.apiVersion}`),
    ...diagnosticsOf(root, lines.join('\n')).map(
      ({ line, message }) => `${nameOf(known[line]![1])}: ${message.split('\n').at(-1)!.trim()}`,
    ),
  ];
}

function moduleOf({ apiVersion, kind }: KubernetesObject): string | null {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const own = packages[group!];
  if (own) return `${own}/${group}/${version}/${kind}`;
  if (group!.includes('.') && !group!.endsWith('.k8s.io')) return null;
  return ['kubernetes-models', group, version, kind].filter((part) => part !== '').join('/');
}

function diagnosticsOf(root: string, text: string): { line: number; message: string }[] {
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  };
  const host = ts.createCompilerHost(options);
  const path = join(root, fileName);
  const { getSourceFile, fileExists, readFile } = host;
  host.getCurrentDirectory = () => dirname(path);
  host.fileExists = (name) => name === path || fileExists(name);
  host.readFile = (name) => (name === path ? text : readFile(name));
  host.getSourceFile = (name, ...rest) =>
    name === path
      ? ts.createSourceFile(name, text, ts.ScriptTarget.ES2023, true)
      : getSourceFile(name, ...rest);
  return ts
    .getPreEmitDiagnostics(ts.createProgram([path], options, host))
    .map(({ file, start, messageText }) => ({
      line: file && start !== undefined ? file.getLineAndCharacterOfPosition(start).line : 0,
      message: ts.flattenDiagnosticMessageText(messageText, '\n'),
    }));
}
