/** Adds the end of RUNS at the last check, and the message at that position. */
import { Migration } from '@mikro-orm/migrations'
import { checkpointTable, checkpointTimes } from '@tidemark/db/checkpoint'

export class Checkpoint extends Migration {
  override up(): void {
    this.addSql(checkpointTable('coordinator'))
    this.addSql(checkpointTimes('coordinator'))
  }
}
