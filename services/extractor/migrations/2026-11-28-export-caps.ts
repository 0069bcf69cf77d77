/** The caps of exports, which depend on the tier of the project. */
import { Migration } from '@mikro-orm/migrations'
import { exportCapColumns } from '@tidemark/content/export-tables'

export class ExportCaps extends Migration {
  override up(): void {
    for (const statement of exportCapColumns) this.addSql(statement)
  }
}
