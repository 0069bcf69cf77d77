/** Validators of monitored pages: a column of the content store. */
import { Migration } from '@mikro-orm/migrations'
import { revisitTables } from '@tidemark/content/tables'

export class Revisits extends Migration {
  override up(): void {
    for (const statement of revisitTables) this.addSql(statement)
  }
}
