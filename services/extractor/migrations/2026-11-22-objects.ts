/** Bodies may lie in a store of objects: what their rows and the names of objects need for that. */
import { Migration } from '@mikro-orm/migrations'
import { objectTables } from '@tidemark/content/object-tables'

export class ObjectNames extends Migration {
  override up(): void {
    for (const statement of objectTables) this.addSql(statement)
  }
}
