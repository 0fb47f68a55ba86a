import {
  importEnded,
  importPieceBytes,
  invalidMember,
  type FurtherTablePiece,
  type TablePiece,
} from '@posthorn/contracts';

/** Of a piece. Each but the last has the full size: the offset of a piece follows from its place. */
export function bytesOfPiece({ bytes: text, last }: TablePiece): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (!last && bytes.length !== importPieceBytes)
    throw invalidMember(['bytes'], 'out_of_range', `must be ${importPieceBytes} bytes`);
  return bytes;
}

/** Null where a repeated call brings a piece that is stored already. */
export function bytesOfFurther(
  { pieces, status }: { pieces: number; status: string },
  piece: FurtherTablePiece,
): Buffer | null {
  if (piece.place < pieces) return null;
  if (status !== 'UPLOADING') throw importEnded();
  return bytesOfPiece(piece);
}
