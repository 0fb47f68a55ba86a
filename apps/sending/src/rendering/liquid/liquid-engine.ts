import {
  defaultOperators,
  filters,
  Liquid,
  toValue,
  type Context,
  type Emitter,
  type Template,
} from 'liquidjs';
import { atInstant, isTooLong, zoneOf, type DateGlobals } from './dates.js';
import { coalesce } from './liquid-parser.js';
import { chosen, escapeUnmarked, leaveUnescaped, markHtml } from './marked-html.js';
import { SnippetTag } from './snippet-tag.js';

export const renderMs = 450;
export const maxOutput = 2 * 1024 * 1024;
const maxAllocated = 16 * 1024 * 1024;

/** Tags that read files, and a random filter, which would render differently on each attempt. */
const absentTags = ['include', 'layout', 'block'];
const absentFilters = ['sample'];
const dateFilters = [
  'date',
  'date_to_xmlschema',
  'date_to_rfc822',
  'date_to_string',
  'date_to_long_string',
] as const;

type Operator = (left: unknown, right: unknown) => unknown;
type Filter = (this: { context: Context }, ...given: unknown[]) => unknown;

/** Values are escaped in HTML only (docs/api-decisions.md §4). A document, such as JSON for a webhook, is what its author makes of it. */
export type EngineKind = 'html' | 'plain' | 'document';

export function createEngine(kind: EngineKind): Liquid {
  const engine = new Liquid({
    ...(kind === 'html'
      ? { outputEscape: escapeUnmarked(filters['escape'] as Filter) as (value: unknown) => string }
      : {}),
    templates: {},
    operators: {
      ...defaultOperators,
      [coalesce]: ((left, right) => chosen(left) ?? right) satisfies Operator,
    },
    ownPropertyOnly: true,
    strictFilters: true,
    timezoneOffset: 0,
    locale: 'en-US',
    memoryLimit: maxAllocated,
  });
  for (const name of absentTags) delete engine.tags[name];
  for (const name of absentFilters) engine.unregisterFilter(name);
  for (const name of dateFilters)
    engine.registerFilter(name, dated(filters[name] as Filter, name === 'date'));
  if (kind === 'html') markHtml(engine);
  if (kind === 'plain') leaveUnescaped(engine);
  engine.registerTag('render', SnippetTag);
  boundOutput(engine);
  return engine;
}

const dated = (filter: Filter, takesZone: boolean): Filter =>
  function (value, format, ...rest) {
    if (isTooLong(value)) return value;
    const globals = this.context.globals as DateGlobals;
    const given = takesZone ? rest.map((zone) => zoneOf(toValue(zone), globals)) : rest;
    return filter.call(this, atInstant(value, globals.now), format, ...given);
  };

/** Every output, captures included, has the size limit of a message. */
function boundOutput({ renderer }: Liquid): void {
  const renderTemplates = renderer.renderTemplates.bind(renderer);
  renderer.renderTemplates = (
    templates: Template[],
    context: Context,
    emitter: Emitter = new BoundedText(),
  ) => renderTemplates(templates, context, emitter);
}

class BoundedText implements Emitter {
  buffer = '';

  write(value: unknown): void {
    this.buffer += textOf(value);
    if (this.buffer.length > maxOutput)
      throw new Error(`the result is larger than ${maxOutput / 1024 / 1024} MiB`);
  }
}

function textOf(value: unknown): string {
  const plain: unknown = toValue(value);
  if (typeof plain === 'string') return plain;
  if (plain === null || plain === undefined) return '';
  return Array.isArray(plain) ? plain.map(textOf).join('') : String(plain as string);
}
