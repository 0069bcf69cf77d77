/** How pages of monitors are known again is kept with them: a column of the content store. */
import { Migration } from '@mikro-orm/migrations'
import { revisitTables } from '@tidemark/content/tables'

export class Revisits extends Migration {
  override up(): void {
    for (const statement of revisitTables) this.addSql(statement)
  }
}
