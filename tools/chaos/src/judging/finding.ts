/** One property of docs/guarantees.md §2, and what broke it. */
export interface Finding {
  property: string;
  looksFor: string;
  /** How much was looked at. */
  looked: number;
  broken: string[];
}

export const finding = (
  property: string,
  searches: string,
  checked: number,
  broken: (string | null)[],
): Finding => ({
  property,
  looksFor: searches,
  looked: checked,
  broken: broken.filter((each) => each !== null),
});

/** A strike that took place. */
export interface DoneStrike {
  kind: string;
  /** What the process was about to do, where that was waited for. */
  state: string | null;
  at: number;
}

interface DoneStrikes {
  strikes: readonly DoneStrike[];
  /** When what was struck had ended. */
  endedAt: number;
  wantedStrikes: number;
}

export function judgeStrikes({ strikes, endedAt, wantedStrikes }: DoneStrikes): Finding {
  const during = strikes.filter(({ at }) => at < endedAt).length;
  return finding('strikes', 'too few strikes until the end: the run proves little', strikes.length, [
    during < wantedStrikes ? `${during} strikes, ${wantedStrikes} are wanted` : null,
  ]);
}

/** Sums as they are kept and as they are counted anew, in one snapshot of the database; null where there are none. */
export interface CountsRow {
  key: string;
  kept: Record<string, number> | null;
  counted: Record<string, number> | null;
}

/** One look at all sums of a project. */
export interface CountsLook {
  at: number;
  rows: readonly CountsRow[];
}

/** Sums that are missing are those of nobody. */
export function judgeCounts(looks: readonly CountsLook[], owner: string): Finding {
  return finding(
    'G11',
    `sums of ${owner} that differ from a recount of its rows, at any instant of the run`,
    looks.length,
    looks.flatMap(({ rows }) => rows.map(difference)),
  );
}

function difference({ key, kept, counted }: CountsRow): string | null {
  const all = new Set([...Object.keys(kept ?? {}), ...Object.keys(counted ?? {})]);
  const differing = [...all].filter((name) => (kept?.[name] ?? 0) !== (counted?.[name] ?? 0));
  if (differing.length === 0) return null;
  const of = (sums: CountsRow['kept']) => differing.map((name) => `${name} ${sums?.[name] ?? 0}`).join(', ');
  return `${key}: ${of(kept)}; recounted ${of(counted)}`;
}
