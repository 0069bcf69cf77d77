/** Screenshots of pages. */
import { Migration } from '@mikro-orm/migrations'
import { pictureTables } from '@tidemark/content/pictures'

export class Pictures extends Migration {
  override up(): void {
    for (const statement of pictureTables) this.addSql(statement)
  }
}
