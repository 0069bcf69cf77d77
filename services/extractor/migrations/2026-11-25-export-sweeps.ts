/** Indexes for the sweep of exports and the abort of their uploads. */
import { Migration } from '@mikro-orm/migrations'
import { exportSweepIndexes } from '@tidemark/content/export-tables'

export class ExportSweeps extends Migration {
  override up(): void {
    for (const statement of exportSweepIndexes) this.addSql(statement)
  }
}
