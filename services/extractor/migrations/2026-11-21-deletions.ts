/** Sweeping of deleted runs, and archiving of old ones: the store's next tables. */
import { Migration } from '@mikro-orm/migrations'
import { archiveTables } from '@tidemark/content/archive'
import { sweepingTables } from '@tidemark/content/sweeping'
import { checkpointTable } from '@tidemark/db/checkpoint'

export class Deletions extends Migration {
  override up(): void {
    for (const statement of [...sweepingTables, ...archiveTables, checkpointTable('content')]) {
      this.addSql(statement)
    }
  }
}
