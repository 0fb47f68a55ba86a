// The walls of the house (architecture §7.8, §7.12) as lint rules. Each looks at one import and says why it is refused.
import { builtinModules } from 'node:module';
import { circleOf } from './circles.mjs';
import { isTest, placeOf, targetOf } from './locations.mjs';

const libOrder = ['contracts', 'csv', 'telemetry', 'database', 'messaging', 'work', 'platform'];
/** The floors of the gateway, from the socket up: each knows those below. */
const floors = ['wire', 'routes', 'dialects', 'pipeline'];
const hosts = ['all-in-one', 'e2e'];
/** The files of an app that its hosts may import, and those that tools may read. */
const doors = ['service.ts'];
const toolDoors = [
  ...doors,
  'config.ts',
  'data-source.ts',
  'main.ts',
  'all-routes.ts',
  'routes/route-table.ts',
  'openapi/document.ts',
];
/** docs/sql/ holds the statements that these assemble. */
const writtenDown = /\.repository\.ts$|^pacing\/pace\.ts$/;
const contractPackages = ['class-validator', 'class-transformer', 'reflect-metadata'];
const httpPackages = [
  'fastify',
  '@nestjs/platform-fastify',
  '@nestjs/platform-express',
  'express',
  'http',
  'https',
  'http2',
  'undici',
];
const evaluators = /^(apps\/contacts\/src\/segments\/(?:compiling|matching))\//;
const typeormFiles =
  /\.(entity|repository|read-model|migration)\.ts$|(^|\/)migrations\/|(^|\/)data-source\.ts$/;

const rules = {
  'apps-apart': rule(
    'Apps never import apps: ask over the bus. Only the hosts import service.ts of an app.',
    (from, to) => {
      if (to.place?.area !== 'apps' || isOwn(from, to)) return null;
      const { path, inner } = to.place;
      if (from.area === 'apps' && !(hosts.includes(from.unit) && doors.includes(inner)))
        return `an app imports ${path}`;
      if (from.unit === 'generators' && writtenDown.test(inner)) return null;
      if (from.area === 'tools' && !toolDoors.includes(inner))
        return `${path} is not a door of its app (${toolDoors.join(', ')})`;
      return null;
    },
  ),

  'libs-below-apps': rule('Libs and contracts know nothing of the apps above them.', (from, to) =>
    from.area === 'libs' && to.place?.area === 'apps' ? `a lib imports ${to.place.path}` : null,
  ),

  'tools-outside': rule('What ships does not import tools; only the hosts and the tests do.', (from, to) => {
    if (to.place?.area !== 'tools' || from.area === 'tools' || from.area === null) return null;
    return hosts.includes(from.unit) || isTest(from) ? null : `${to.place.path} is a tool`;
  }),

  'contracts-pure': rule(
    `libs/contracts imports only ${contractPackages.join(', ')} and what Node brings.`,
    (from, to) => {
      if (!isIn(from, 'libs', 'contracts') || /\.spec\.ts$/.test(from.path) || isOwn(from, to)) return null;
      if (to.kind !== 'package') return `it imports ${to.place.path}`;
      return contractPackages.includes(to.name) || builtinModules.includes(to.name)
        ? null
        : `it imports ${to.name}`;
    },
  ),

  'libs-order': rule(
    `Libs import downwards: ${libOrder.join(' ← ')}; libs/mail imports no lib.`,
    (from, to) => {
      if (
        from.area !== 'libs' ||
        to.place?.area !== 'libs' ||
        isOwn(from, to) ||
        isTest(from) ||
        from.unit === 'contracts'
      )
        return null;
      if (to.place.unit === 'testing') return null;
      const below = libOrder.slice(0, Math.max(0, libOrder.indexOf(from.unit)));
      return below.includes(to.place.unit) ? null : `libs/${from.unit} imports libs/${to.place.unit}`;
    },
  ),

  'no-circles': rule('No circle of imports, of types neither.', (from, to) => {
    const circle = to.place && circleOf(from.path, to.place.path);
    return circle ? `the file stands in one of ${circle.length}: ${circle.join(', ')}` : null;
  }),

  'gateway-floors': rule(
    `The floors of the gateway import downwards: ${floors.join(' ← ')}; only the uppermost imports its nouns.`,
    (from, to) => {
      if (!isIn(from, 'apps', 'gateway') || isTest(from) || to.kind !== 'relative') return null;
      const [own, other] = [from, to.place].map(({ inner }) => floors.indexOf(inner.split('/')[0]));
      const isBelow = own !== -1 && own < floors.length - 1;
      return isBelow && (other === -1 || other > own) ? `${floors[own]} imports ${to.place.path}` : null;
    },
  ),

  'testing-in-tests': rule('libs/testing is for specs, testing/ folders and apps/e2e.', (from, to) =>
    isIn(to.place, 'libs', 'testing') && !isOwn(from, to) && !isTest(from) ? 'this file is no test' : null,
  ),

  'no-deep-imports': rule(
    'A lib is imported by its name, @posthorn/<lib>, and shows what its index.ts shows.',
    (from, to) => {
      if (to.deep) return 'the path goes past the index';
      const shut = from.area === 'tools' || from.area === null ? ['libs'] : ['libs', 'tools'];
      const reachesIn = to.kind === 'relative' && !isOwn(from, to) && shut.includes(to.place.area);
      // A spec of a lib may use the doubles of libs/testing without the database that the index brings.
      const doubles = from.area === 'libs' && isTest(from) && isIn(to.place, 'libs', 'testing');
      return reachesIn && !doubles ? `the relative path enters ${to.place.area}/${to.place.unit}` : null;
    },
  ),

  'http-in-gateway': rule('HTTP is imported only in apps/gateway and libs/outbound.', (from, to) => {
    const isHttp =
      to.kind === 'package' && (httpPackages.includes(to.name) || to.name.startsWith('@fastify/'));
    const allowed =
      isIn(from, 'apps', 'gateway') ||
      // Requests to addresses that users name.
      isIn(from, 'libs', 'outbound') ||
      isTest(from) ||
      from.area === 'tools' ||
      from.area === null;
    return isHttp && !allowed && from.path !== 'libs/platform/src/admin-server.ts'
      ? `it imports ${to.name}`
      : null;
  }),

  'typeorm-rooms': rule(
    'TypeORM is imported only in entity, repository, read-model, migration and data-source files.',
    (from, to) => {
      const isTypeorm = to.kind === 'package' && (to.name === 'typeorm' || to.name === '@nestjs/typeorm');
      return isTypeorm && !isIn(from, 'libs', 'database') && !typeormFiles.test(from.path)
        ? `it imports ${to.name}`
        : null;
    },
  ),

  'evaluators-apart': rule(
    'What compiles conditions and what matches them stay independent: nothing in common but the types of the tree.',
    (from, to, _, typesOnly) => {
      const room = evaluators.exec(from.path)?.[1];
      if (!room || isTest(from)) return null;
      if (to.kind === 'relative')
        return to.place.path.startsWith(`${room}/`) ? null : `it imports ${to.place.path}`;
      const tree = to.kind === 'named' && isIn(to.place, 'libs', 'contracts') && typesOnly;
      return tree ? null : `it imports more than types of ${to.name ?? to.place.path}`;
    },
  ),

  'no-http-exceptions': rule("Nest's HTTP exceptions are nowhere: throw a DomainError.", (_, to, names) => {
    if (to.kind !== 'package' || to.name !== '@nestjs/common') return null;
    const name = names.find((imported) => imported === '*' || imported.endsWith('Exception'));
    return name ? `it imports ${name}` : null;
  }),
};

/** @type {import('eslint').ESLint.Plugin} */
export const boundaries = { meta: { name: 'posthorn-boundaries' }, rules };
export const boundaryRules = Object.fromEntries(
  Object.keys(rules).map((name) => [`boundaries/${name}`, 'error']),
);

/** Every way to import: declarations, re-exports, `import()`, `require()`, and types written as `import('x').T`. */
function rule(why, refusal) {
  const create = (context) => {
    const from = placeOf(context.filename);
    const check = (source, names, typesOnly = false) => {
      if (typeof source?.value !== 'string') return;
      const reason = refusal(from, targetOf(source.value, context.filename), names, typesOnly);
      if (reason) context.report({ node: source, message: `${why} Here ${reason}.` });
    };
    return {
      ImportDeclaration: ({ source, specifiers, importKind }) =>
        check(source, specifiers.map(importedName), importKind === 'type'),
      ExportNamedDeclaration: ({ source, specifiers }) =>
        check(
          source,
          specifiers.map(({ local }) => local.name ?? local.value),
        ),
      ExportAllDeclaration: ({ source }) => check(source, ['*']),
      ImportExpression: ({ source }) => check(source, ['*']),
      TSImportType: (node) => check(node.source ?? node.argument?.literal, [], true),
      TSExternalModuleReference: ({ expression }) => check(expression, ['*']),
      'CallExpression[callee.name="require"]': ({ arguments: [source] }) => check(source, ['*']),
    };
  };
  return { meta: { type: 'problem', docs: { description: why }, schema: [] }, create };
}

function importedName({ type, imported }) {
  if (type === 'ImportNamespaceSpecifier') return '*';
  return type === 'ImportSpecifier' ? (imported.name ?? imported.value) : 'default';
}

function isOwn(from, { place }) {
  return isIn(place, from.area, from.unit);
}

function isIn(place, area, unit) {
  return place?.area === area && place?.unit === unit && area !== null;
}
