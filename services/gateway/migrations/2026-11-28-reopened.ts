/** Whether a run was reopened, so that its stored comparison may be about an earlier end. */
import { Migration } from '@mikro-orm/migrations'

export class Reopened extends Migration {
  override up(): void {
    this.addSql('alter table read.run add column was_reopened boolean not null default false')
    // Events of earlier reopenings were projected before, and only the coordinator's table still has them.
    this.addSql(`
      do $$ begin
        if exists (select from information_schema.columns
            where table_schema = 'coordinator' and table_name = 'admission' and column_name = 'reopenings') then
          update read.run set was_reopened = true from coordinator.admission
            where admission.run_id = run.id and admission.reopenings > 0;
        end if;
      end $$`)
  }
}
