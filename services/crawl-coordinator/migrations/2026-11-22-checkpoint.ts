/** Where RUNS ended when it was looked at last, and what it had there. */
import { Migration } from '@mikro-orm/migrations'
import { checkpointTable, checkpointTimes } from '@tidemark/db/checkpoint'

export class Checkpoint extends Migration {
  override up(): void {
    this.addSql(checkpointTable('coordinator'))
    this.addSql(checkpointTimes('coordinator'))
  }
}
