/** Runs that were deleted and whose rows are still to go. */
import { Migration } from '@mikro-orm/migrations'

export class Deletions extends Migration {
  override up(): void {
    this.addSql(`create table read.deleted_run (run_id bigint primary key)`)
  }
}
