export class ComposingCounts {
  total = 0;
  private readonly counts = new Map<string, number>();

  add(messages: readonly { projectId: string }[], each: 1 | -1): void {
    for (const { projectId } of messages) {
      const count = (this.counts.get(projectId) ?? 0) + each;
      if (count === 0) this.counts.delete(projectId);
      else this.counts.set(projectId, count);
    }
    this.total += each * messages.length;
  }

  projectsWithAtLeast(least: number): string[] {
    return [...this.counts].flatMap(([projectId, count]) => (count >= least ? [projectId] : []));
  }
}
