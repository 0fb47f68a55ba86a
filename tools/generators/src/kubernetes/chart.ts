import { labelsOf, yamlOf, type Manifest, type Target } from './manifest.js';
import { settingsMap } from './environment.js';

type Values = Record<string, unknown>;

const token = /⟦(value|text):([^⟧]+)⟧/g;
/** Beside an autoscaler, a count would be set back by each change. */
const fixedCount = /^ *replicas: ⟦.*⟧$/gm;
const blockItem = /^( *)- ⟦block:([^⟧]+)⟧$/gm;
const blockLine = /^( *)((?:- )?[\w./-]+): ⟦block:([^⟧]+)⟧$/gm;

/** Where a value stands that an installation may change, the template asks for it; `values` collects what it is otherwise. */
export function chartTarget(values: Values): Target {
  return {
    given: <T>(path: string, preset: T) => {
      put(values, path.split('.'), preset);
      return `⟦${typeof preset === 'object' ? 'block' : 'value'}:${path}⟧` as T;
    },
    namespace: '⟦text:.Release.Namespace⟧',
    image: '⟦text:include "posthorn.image" .⟧',
    podAnnotations: { 'checksum/settings': '⟦text:toYaml .Values.settings | sha256sum⟧' },
  };
}

export function templateOf(manifests: readonly Manifest[]): string {
  // What looks like a template in a text of ours is meant as it stands.
  const text = yamlOf(...manifests).replaceAll('{{', '{{ "{{" }}');
  return text
    .replace(blockLine, (_, indent: string, key: string, path: string) => {
      const depth = indent.length + (key.startsWith('- ') ? 4 : 2);
      return `${indent}${key}:\n{{ toYaml .Values.${path} | indent ${depth} }}`;
    })
    .replace(
      blockItem,
      (_, indent: string, path: string) =>
        `${indent}-\n{{ toYaml .Values.${path} | indent ${indent.length + 2} }}`,
    )
    .replace(
      fixedCount,
      (line) =>
        `{{- if not (or .Values.components.keda .Values.components.prometheusAdapter) }}\n${line}\n{{- end }}`,
    )
    .replace(token, (_, kind: string, what: string) =>
      kind === 'text' ? `{{ ${what} }}` : `{{ .Values.${what} }}`,
    );
}

/** What kustomize makes of settings.env. */
export const settingsObject = (target: Target, settings: Readonly<Record<string, string>>): Manifest => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: settingsMap, namespace: target.namespace, labels: labelsOf('settings') },
  data: target.given('settings', settings),
});

export const imageHelper = `{{/* A digest stands for what is run; a tag only says which version it is. */}}
{{- define "posthorn.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}
`;

function put(values: Values, [first, ...rest]: readonly string[], preset: unknown): void {
  if (rest.length === 0) values[first!] = preset;
  else put((values[first!] ??= {}) as Values, rest, preset);
}
