/** The statements of a run's site to AI bots. */
import { Migration } from '@mikro-orm/migrations'

export class RunSite extends Migration {
  override up(): void {
    this.addSql(`
      alter table read.run
        add column ai_bot_policy jsonb,
        add column llms_txt text,
        add column llms_full_txt text`)
  }
}
