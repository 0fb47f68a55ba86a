import type { Database } from '@posthorn/database';

const chunkBytes = 256 * 1024;
/** Each goes as bytes of its own: arrays of bytes would travel as text of twice their size. */
const chunksAtOnce = 8;
/** They come as text, in strings that are small enough to be short-lived. */
const pieceBytes = 48 * 1024;

interface Piece {
  piece: string;
}

interface Chunk {
  position: number;
  chunk: number;
  data: Buffer;
}

/** The bytes of attachments, in pieces: nothing of 10 MiB in one row. */
export class AttachmentsRepository {
  constructor(private readonly database: Database) {}

  async insert(projectId: string, contentId: string, files: readonly Buffer[]): Promise<void> {
    const chunks = files.flatMap(chunksOf);
    for (let first = 0; first < chunks.length; first += chunksAtOnce) {
      const some = chunks.slice(first, first + chunksAtOnce);
      const rows = some.map((_, place) => `($1, $2, $${3 * place + 3}, $${3 * place + 4}, $${3 * place + 5})`);
      await this.database.query(`INSERT INTO email_attachments (project_id, content_id, position, chunk, data) VALUES ${rows.join(', ')}`, [
        projectId,
        contentId,
        ...some.flatMap(({ position, chunk, data }) => [position, chunk, data]),
      ]);
    }
  }

  /** Every file of one content that is whole, in order, each in memory of its own. */
  async filesOf(projectId: string, contentId: string, sizes: readonly number[]): Promise<Buffer[]> {
    const files = sizes.map((size) => Buffer.allocUnsafeSlow(size));
    const read = sizes.map(() => 0);
    for (let position = 0, chunk = 0; position < files.length;) {
      const pieces = await this.database.query<Piece>(
        `SELECT encode(substring(data FROM n FOR ${pieceBytes}), 'base64') AS piece FROM email_attachments, generate_series(1, length(data), ${pieceBytes}) AS n
         WHERE project_id = $1 AND content_id = $2 AND position = $3 AND chunk = $4 ORDER BY n`,
        [projectId, contentId, position, chunk],
      );
      const [file, before] = [files[position]!, read[position]!];
      for (const { piece } of pieces) read[position]! += file.write(piece, read[position], 'base64');
      const isOver = read[position] === before || read[position] === file.length;
      [position, chunk] = isOver ? [position + 1, 0] : [position, chunk + 1];
    }
    return files.filter((file, position) => read[position] === file.length);
  }
}

function chunksOf(file: Buffer, position: number): Chunk[] {
  return Array.from({ length: Math.ceil(file.length / chunkBytes) }, (_, chunk) => ({
    position,
    chunk,
    data: file.subarray(chunk * chunkBytes, (chunk + 1) * chunkBytes),
  }));
}
