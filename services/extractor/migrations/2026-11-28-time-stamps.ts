/** Evidence of runs with its time-stamp. */
import { Migration } from '@mikro-orm/migrations'
import { timeStampTables } from '@tidemark/content/tables'

export class TimeStamps extends Migration {
  override up(): void {
    for (const statement of timeStampTables) this.addSql(statement)
  }
}
