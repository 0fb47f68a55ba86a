import type { Database } from '@posthorn/database';

const chunkBytes = 256 * 1024;
/** Each chunk is a parameter of its own: an array of bytea would travel as text of twice the size. */
const chunksAtOnce = 8;
/** Stops at the first missing chunk, because the ones after it would be at a wrong offset. */
const chunksInARow = `
  SELECT data FROM (
    SELECT data, chunk, row_number() OVER (ORDER BY chunk) - 1 AS expected
    FROM email_attachments WHERE project_id = $1 AND content_id = $2 AND position = $3
  ) AS stored
  WHERE chunk = expected ORDER BY chunk`;

interface Chunk {
  position: number;
  chunk: number;
  data: Buffer;
}

/** Attachments are stored in chunks, so that no row holds 10 MiB. */
export class AttachmentsRepository {
  constructor(private readonly database: Database) {}

  async insert(projectId: string, contentId: string, files: readonly Buffer[]): Promise<void> {
    const chunks = files.flatMap(chunksOf);
    for (let first = 0; first < chunks.length; first += chunksAtOnce) {
      const some = chunks.slice(first, first + chunksAtOnce);
      const rows = some.map(
        (_, index) => `($1, $2, $${3 * index + 3}, $${3 * index + 4}, $${3 * index + 5})`,
      );
      await this.database.query(
        `INSERT INTO email_attachments (project_id, content_id, position, chunk, data) VALUES ${rows.join(', ')}`,
        [projectId, contentId, ...some.flatMap(({ position, chunk, data }) => [position, chunk, data])],
      );
    }
  }

  async filesOf(projectId: string, contentId: string, sizes: readonly number[]): Promise<Buffer[]> {
    const files: Buffer[] = [];
    for (const [position, size] of sizes.entries()) {
      const file = Buffer.allocUnsafeSlow(size);
      let read = 0;
      await this.database.copyOut(chunksInARow, [projectId, contentId, position], (bytes) => {
        read += bytes.copy(file, read);
      });
      if (read === size) files.push(file);
    }
    return files;
  }
}

function chunksOf(file: Buffer, position: number): Chunk[] {
  return Array.from({ length: Math.ceil(file.length / chunkBytes) }, (_, chunk) => ({
    position,
    chunk,
    data: file.subarray(chunk * chunkBytes, (chunk + 1) * chunkBytes),
  }));
}
