/** The content store defines its own tables; this migration belongs to the service that writes them. */
import { Migration } from '@mikro-orm/migrations'
import { contentTables } from '@tidemark/content/tables'

export class First extends Migration {
  override up(): void {
    for (const statement of contentTables) this.addSql(statement)
  }
}
