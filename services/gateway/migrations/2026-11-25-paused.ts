/** When the client paused a run. */
import { Migration } from '@mikro-orm/migrations'

export class Paused extends Migration {
  override up(): void {
    this.addSql(`alter table read.run add column paused_at timestamptz`)
  }
}
