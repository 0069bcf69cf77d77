/** The time of the last message that was read. It identifies a stream that lost its end. */
import { Migration } from '@mikro-orm/migrations'
import { checkpointTimes } from '@tidemark/db/checkpoint'

export class CheckpointTimes extends Migration {
  override up(): void {
    this.addSql(checkpointTimes('ledger'))
  }
}
