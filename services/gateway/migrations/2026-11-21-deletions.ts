/** Deleted runs whose rows remain to be removed. */
import { Migration } from '@mikro-orm/migrations'

export class Deletions extends Migration {
  override up(): void {
    this.addSql(`create table read.deleted_run (run_id bigint primary key)`)
  }
}
