/** Time of the last stored position, by which a recreated stream is recognized. */
import { Migration } from '@mikro-orm/migrations'
import { checkpointTimes } from '@tidemark/db/checkpoint'

export class CheckpointTimes extends Migration {
  override up(): void {
    this.addSql(checkpointTimes('content'))
  }
}
