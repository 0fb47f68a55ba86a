import { filtersOf, type Condition } from '@posthorn/contracts';
import type { PreviewedCondition } from './segment-previews.read-model.js';

interface KnownPreview {
  version: string;
  found: PreviewedCondition;
}

const maxPreviews = 256;
const maxBytes = 32 * 1024;

/** The newest previews of this process. Each is valid while its project has the same version, and belongs to that project alone. */
export class KnownPreviews {
  private readonly previews = new Map<string, KnownPreview>();

  of(projectId: string, key: string): KnownPreview | undefined {
    const name = nameOf(projectId, key);
    const known = this.previews.get(name);
    if (known) this.rank(name, known);
    return known;
  }

  put(projectId: string, key: string, known: KnownPreview): void {
    const bytes = Buffer.byteLength(key) + Buffer.byteLength(JSON.stringify(known));
    if (bytes <= maxBytes) this.rank(nameOf(projectId, key), known);
  }

  /** A Map keeps its order: the one that was not used for longest goes first. */
  private rank(name: string, known: KnownPreview): void {
    this.previews.delete(name);
    this.previews.set(name, known);
    if (this.previews.size > maxPreviews) this.previews.delete(this.previews.keys().next().value!);
  }
}

const nameOf = (projectId: string, key: string): string => `${projectId} ${key}`;

/** Time alone changes what it finds, or the members of a segment, which are written after the contacts that they follow. */
export const changesByItself = (condition: Condition): boolean =>
  filtersOf(condition).some((filter) => 'spanMs' in filter || filter.field === 'segment');
