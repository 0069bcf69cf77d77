/** The run of the tick before, for runs that a monitor started. */
import { Migration } from '@mikro-orm/migrations'

export class PreviousRun extends Migration {
  override up(): void {
    this.addSql(`alter table read.run add column previous_run_id bigint`)
  }
}
