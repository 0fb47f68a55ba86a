import type { PlanNode } from './recorder.js';

/** Tables beyond this many rows are never to be read from end to end. */
const smallTable = 5_000;

/** What a plan reads a whole table by: in order, or by an index that is no help. */
export function wholeScans(node: PlanNode, sizes: ReadonlyMap<string, number>): string[] {
  const below = (node.Plans ?? []).flatMap((each) => wholeScans(each, sizes));
  const { 'Node Type': type, 'Relation Name': table, 'Actual Loops': loops } = node;
  const size = table === undefined ? 0 : (sizes.get(table) ?? 0);
  if (!type.endsWith('Scan') || size < smallTable || loops === 0) return below;
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  const read = (node['Actual Rows'] + removed) * loops;
  return type === 'Seq Scan' || read >= size / 2
    ? [`${type} reads ${read} of ${size} rows of ${table}`, ...below]
    : below;
}
