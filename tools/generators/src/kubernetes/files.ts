import { readFileSync } from 'node:fs';
import type { Variable } from '@posthorn/platform';
import { stringify } from 'yaml';
import { chartTarget, imageHelper, settingsObject, templateOf } from './chart.js';
import { chartComponents } from './chart-components.js';
import { externalSecretObjects } from './external-secrets.js';
import { jobObjects } from './jobs.js';
import { product, yamlOf, type Manifest, type Target } from './manifest.js';
import { commonObjects, namespaceObject, serviceObjects } from './objects.js';
import { monitoringObjects } from './monitoring.js';
import { secretObjects } from './secrets.js';
import { jobVariables, servicePlans, type ServicePlan } from './services.js';

type Files = Record<string, string>;

const root = new URL('../../../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const folder = 'deploy/kubernetes';
const notice = '# Made by `npm run docs` from the declarations in the code; do not edit.\n';

/** Every file of deploy/kubernetes that follows from declarations. */
export async function kubernetesFiles(): Promise<Files> {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  const plans = await servicePlans();
  const release = { version, variables: await jobVariables() };
  const files = { ...kustomizeFiles(plans, release), ...chartFiles(plans, release) };
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => [
      `${folder}/${name}`,
      name.endsWith('.tpl') ? text : notice + text,
    ]),
  );
}

interface Release {
  version: string;
  /** What its jobs read. */
  variables: readonly Variable[];
}

function kustomizeFiles(plans: readonly ServicePlan[], { version, variables }: Release): Files {
  const target: Target = {
    given: (_, preset) => preset,
    namespace: product,
    image: `${product}:${version}`,
    podAnnotations: {},
  };
  return {
    'base/kustomization.yaml': kustomization(['common', ...plans.map(({ name }) => name)]),
    ...folderOf('base/common', { namespace: namespaceObject, ...commonObjects(target) }),
    ...Object.assign({}, ...plans.map((plan) => folderOf(`base/${plan.name}`, serviceObjects(plan, target)))),
    ...folderOf('jobs', jobObjects(version, variables, target)),
    ...folderOf('components/prometheus-operator', monitoringObjects(target, read), 'Component'),
    ...folderOf(
      'components/external-secrets',
      externalSecretObjects(secretObjects(plans, product)),
      'Component',
    ),
    'secrets.yaml': yamlOf(...secretObjects(plans, product)),
  };
}

function chartFiles(plans: readonly ServicePlan[], { version, variables }: Release): Files {
  const values = { image: { repository: product, tag: '', digest: '' } };
  const target = chartTarget(values);
  const settings = settingsIn(read(`${folder}/overlays/small/settings.env`));
  const template = (name: string, objects: Manifest[]) => [
    `chart/templates/${name}.yaml`,
    templateOf(objects),
  ];
  const templates = Object.fromEntries([
    template('common', [settingsObject(target, settings), ...Object.values(commonObjects(target))]),
    ...plans.map((plan) => template(plan.name, Object.values(serviceObjects(plan, target)))),
    template('jobs', Object.values(jobObjects(version, variables, target))),
  ]) as Files;
  const optional = {
    ...chartComponents(target, read),
    prometheusOperator: {
      folder: 'prometheus-operator',
      objects: Object.values(monitoringObjects(target, read)),
    },
    externalSecrets: {
      folder: 'external-secrets',
      objects: Object.values(externalSecretObjects(secretObjects(plans, target.namespace))),
    },
  };
  return {
    'chart/Chart.yaml': stringify({
      apiVersion: 'v2',
      name: product,
      description: 'E-mail delivery and marketing on servers of your own',
      type: 'application',
      version,
      appVersion: version,
    }),
    'chart/values.yaml': stringify({
      ...values,
      components: Object.fromEntries(Object.keys(optional).map((name) => [name, false])),
    }),
    'chart/templates/_helpers.tpl': imageHelper,
    ...templates,
    ...Object.fromEntries(
      Object.entries(optional).map(([name, component]) => [
        `chart/templates/components/${component.folder}.yaml`,
        `{{- if .Values.components.${name} }}\n${templateOf(component.objects)}{{- end }}\n`,
      ]),
    ),
  };
}

function folderOf(path: string, objects: Record<string, Manifest>, kind?: 'Component'): Files {
  const entries = Object.entries(objects).map(([name, object]) => [`${path}/${name}.yaml`, yamlOf(object)]);
  const names = Object.keys(objects).map((name) => `${name}.yaml`);
  return {
    ...Object.fromEntries(entries),
    [`${path}/kustomization.yaml`]: kustomization(names, kind),
  } as Files;
}

const kustomization = (resources: string[], kind?: 'Component'): string =>
  stringify(
    kind
      ? { apiVersion: 'kustomize.config.k8s.io/v1alpha1', kind, resources }
      : { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', resources },
  );

function settingsIn(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => /^[A-Z]/.test(line));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}
