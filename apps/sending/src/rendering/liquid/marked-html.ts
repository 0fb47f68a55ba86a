import {
  CaptureTag,
  Drop,
  EchoTag,
  toValue,
  type Context,
  type Emitter,
  type Liquid,
  type TagToken,
  type TopLevelToken,
  type Value,
} from 'liquidjs';

/** Text that is HTML already, so that it is not escaped again (docs/api-decisions.md §4). */
class MarkedHtml extends Drop {
  constructor(private readonly html: string) {
    super();
  }

  get size(): number {
    return this.html.length;
  }

  override valueOf(): string {
    return this.html;
  }
}

type FilterThis = { context: Context };
type Filter = (this: FilterThis, ...given: unknown[]) => unknown;

const escaping = ['escape', 'escape_once', 'xml_escape'];
const breaking = 'newline_to_br';
/** None of them can make a tag of escaped text; what they insert is escaped first. */
const inserting: Readonly<Record<string, number>> = {
  append: 0,
  prepend: 0,
  truncate: 1,
  truncatewords: 1,
  replace: 1,
  replace_first: 1,
  replace_last: 1,
};
const keeping = [
  ...['remove', 'remove_first', 'remove_last', 'strip', 'lstrip', 'rstrip', 'strip_newlines', 'squish'],
  ...[
    'normalize_whitespace',
    'strip_html',
    'upcase',
    'downcase',
    'capitalize',
    'slice',
    ...Object.keys(inserting),
  ],
];

/** The function by which the library escapes what is output. */
export const escapeUnmarked = (escape: Filter): Filter =>
  function (value) {
    return value instanceof MarkedHtml ? value : escape.call(this, value);
  };

export const chosen = (value: unknown): ReturnType<typeof toValue> =>
  value instanceof MarkedHtml ? value : toValue(value);

export function markHtml(engine: Liquid): void {
  const escape = engine.filters['escape'] as Filter;
  for (const [name, filter] of Object.entries(engine.filters))
    if (typeof filter === 'function') engine.registerFilter(name, withoutMarks(filter as Filter));
  for (const name of keeping)
    engine.registerFilter(name, keepingMark(engine.filters[name] as Filter, inserting[name], escape));
  for (const name of escaping) engine.registerFilter(name, marking(engine.filters[name] as Filter));
  const breaks = engine.filters[breaking] as Filter;
  engine.registerFilter(breaking, function (this: FilterThis, value: unknown) {
    return mark(breaks.call(this, plainOf(escapeUnmarked(escape).call(this, value))));
  });
  engine.registerFilter('split', splitting(engine.filters['split'] as Filter));
  engine.registerFilter('join', joining(engine.filters['join'] as Filter, escapeUnmarked(escape)));
  const otherwise = engine.filters['default'] as Filter;
  engine.registerFilter('default', function (this: FilterThis, value: unknown, ...rest: unknown[]) {
    const usual = otherwise.call(this, value, ...rest);
    return [value, ...rest].find((given) => given instanceof MarkedHtml && plainOf(given) === usual) ?? usual;
  });
  engine.registerTag('capture', MarkingCapture);
  engine.registerTag('echo', MarkedEcho);
}

/** Where there is no markup, an author's `escape` would only show entities. */
export function leaveUnescaped(engine: Liquid): void {
  for (const name of [...escaping, breaking]) engine.registerFilter(name, (value: unknown) => value);
}

class MarkingCapture extends CaptureTag {
  override *render(context: Context): Generator<unknown, void, string> {
    yield super.render(context);
    const scope = context.bottom() as Record<string, unknown>;
    scope[this.variable] = mark(scope[this.variable]);
  }
}

/** That of the library would lose the mark before it escapes. */
class MarkedEcho extends EchoTag {
  private readonly output: Value | null;

  constructor(token: TagToken, remaining: TopLevelToken[], engine: Liquid) {
    super(token, remaining, engine);
    const { value } = this as unknown as { value?: Value };
    this.output = value ?? null;
  }

  override *render(context: Context, emitter: Emitter): Generator<unknown, void> {
    const value = this.output && (yield this.output.value(context, false));
    if (value instanceof MarkedHtml) emitter.write(value.valueOf());
    else yield super.render(context, emitter);
  }
}

const mark = (html: unknown): unknown => (typeof html === 'string' ? new MarkedHtml(html) : html);
const plainOf = (value: unknown): unknown => (value instanceof MarkedHtml ? value.valueOf() : value);

const withoutMarks = (filter: Filter): Filter =>
  function (...given) {
    return filter.call(this, ...given.map(plainOf));
  };

const marking = (filter: Filter): Filter =>
  function (value) {
    return value instanceof MarkedHtml ? value : mark(filter.call(this, value));
  };

const splitting = (filter: Filter): Filter =>
  function (value, ...rest) {
    const parts = filter.call(this, value, ...rest);
    return value instanceof MarkedHtml && Array.isArray(parts) ? parts.map(mark) : parts;
  };

const joining = (filter: Filter, escaped: Filter): Filter =>
  function (list, ...glue) {
    if (!Array.isArray(list) || !list.some((item) => item instanceof MarkedHtml))
      return filter.call(this, list, ...glue);
    const parts = list.map((item) => plainOf(escaped.call(this, item)));
    return mark(filter.call(this, parts, ...glue.map((text) => plainOf(escaped.call(this, text)))));
  };

function keepingMark(filter: Filter, inserted: number | undefined, escape: Filter): Filter {
  const escaped = escapeUnmarked(escape);
  return function (value, ...rest) {
    const inserts = inserted !== undefined && rest[inserted] instanceof MarkedHtml;
    if (!(value instanceof MarkedHtml) && !inserts) return filter.call(this, value, ...rest);
    const given = rest.map((each, index) => (index === inserted ? escaped.call(this, each) : each));
    return mark(filter.call(this, escaped.call(this, value), ...given));
  };
}
