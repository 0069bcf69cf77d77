/** When what was read last was stored: by that a stream is known again. */
import { Migration } from '@mikro-orm/migrations'
import { checkpointTimes } from '@tidemark/db/checkpoint'

export class CheckpointTimes extends Migration {
  override up(): void {
    this.addSql(checkpointTimes('content'))
  }
}
