/** Batches of scans and their results. */
import { Migration } from '@mikro-orm/migrations'
import { batchTables } from '@tidemark/content/batch-tables'

export class Batches extends Migration {
  override up(): void {
    for (const statement of batchTables) this.addSql(statement)
  }
}
