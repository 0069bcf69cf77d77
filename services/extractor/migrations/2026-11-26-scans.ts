/** Pages that scans fetched, for later scans of their projects. */
import { Migration } from '@mikro-orm/migrations'
import { scanTables } from '@tidemark/content/scans/tables'

export class Scans extends Migration {
  override up(): void {
    for (const statement of scanTables) this.addSql(statement)
  }
}
