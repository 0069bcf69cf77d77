/** Exports of runs, the outbox of their events, and the header fields of pages. */
import { Migration } from '@mikro-orm/migrations'
import { exportTables } from '@tidemark/content/export-tables'
import { headerTables } from '@tidemark/content/tables'
import { outboxTable } from '@tidemark/db/outbox'

export class Exports extends Migration {
  override up(): void {
    for (const statement of [...headerTables, ...exportTables, outboxTable('content')]) this.addSql(statement)
  }
}
