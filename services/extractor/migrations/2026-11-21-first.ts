/** The content store knows its own tables; here they become a migration of the service that writes them. */
import { Migration } from '@mikro-orm/migrations'
import { contentTables } from '@tidemark/content/tables'

export class First extends Migration {
  override up(): void {
    for (const statement of contentTables) this.addSql(statement)
  }
}
