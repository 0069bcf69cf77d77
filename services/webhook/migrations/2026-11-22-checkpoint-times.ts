/** Adds to checkpoints when the last read message was stored. This time identifies the stream. */
import { Migration } from '@mikro-orm/migrations'
import { checkpointTimes } from '@tidemark/db/checkpoint'

export class CheckpointTimes extends Migration {
  override up(): void {
    this.addSql(checkpointTimes('webhook'))
  }
}
