/** The time of the last message that was read, which identifies a stream after a restore. */
import { Migration } from '@mikro-orm/migrations'
import { checkpointTimes } from '@tidemark/db/checkpoint'

export class CheckpointTimes extends Migration {
  override up(): void {
    this.addSql(checkpointTimes('ledger'))
  }
}
