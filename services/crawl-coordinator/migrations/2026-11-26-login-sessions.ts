/** Adds the sealed sessions of logins. The end of a run deletes its row. */
import { Migration } from '@mikro-orm/migrations'

export class LoginSessions extends Migration {
  override up(): void {
    this.addSql(`
      create table coordinator.login_session (
        run_id bigint primary key,
        attempt integer not null,
        sealed text not null
      )`)
  }
}
