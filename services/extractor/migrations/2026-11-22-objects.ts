/** Bodies in an object store: columns for their rows and object names. */
import { Migration } from '@mikro-orm/migrations'
import { objectTables } from '@tidemark/content/object-tables'

export class ObjectNames extends Migration {
  override up(): void {
    for (const statement of objectTables) this.addSql(statement)
  }
}
