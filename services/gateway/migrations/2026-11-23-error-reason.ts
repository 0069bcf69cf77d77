/** Why a run failed, as a word. */
import { Migration } from '@mikro-orm/migrations'

export class ErrorReason extends Migration {
  override up(): void {
    this.addSql(`alter table read.run add column error_reason text`)
  }
}
