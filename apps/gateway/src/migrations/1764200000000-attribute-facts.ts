import { addEventActors } from '@posthorn/messaging';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class AttributeGatewayFacts1764200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await addEventActors(runner);
  }

  async down(): Promise<void> {
    throw new Error('nothing is taken away: the release before runs on these tables too');
  }
}
