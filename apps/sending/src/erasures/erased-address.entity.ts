import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('erasure_secrets')
export class ErasureSecretRow {
  @PrimaryColumn('uuid') id: string;
  @Column('text') sealed: string;
}
