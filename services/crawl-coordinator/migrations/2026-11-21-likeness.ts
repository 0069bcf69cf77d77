/** Adds the URL, the request likeness and the end of a run, so that a recent run can be returned again. */
import { Migration } from '@mikro-orm/migrations'

export class Likeness extends Migration {
  override up(): void {
    this.addSql(`
      alter table coordinator.admission
        add column url text,
        add column likeness text collate "C",
        add column done_at timestamptz`)
    this.addSql(`
      create index on coordinator.admission (project_id, likeness, done_at)
      where done_at is not null and likeness is not null`)
  }
}
