import { StoredPiecesRepository } from '@posthorn/database';

export class ImportPiecesRepository extends StoredPiecesRepository {
  protected readonly table = 'import_pieces';
  protected readonly owner = 'import_id';
}
