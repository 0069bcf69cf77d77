/** Where sealed texts stand in tables and are opened again; what stands in events is never written anew. */

/** `field` reads the sealed text of a row, `set` puts `fresh` in its place. */
export type SealedPlace = { table: string; key: string; field: string; set: string }

const settingOf = (path: string): SealedPlace => ({
  table: 'scheduler.monitor',
  key: 'id',
  field: `settings #>> '{${path}}'`,
  set: `settings = jsonb_set(settings, '{${path}}', to_jsonb(fresh))`,
})

export const sealedPlaces: readonly SealedPlace[] = [
  { table: 'webhook.secret', key: 'project_id', field: 'sealed', set: 'sealed = fresh' },
  { table: 'webhook.old_secret', key: 'id', field: 'sealed', set: 'sealed = fresh' },
  { table: 'account.mail', key: 'id', field: 'body', set: 'body = fresh' },
  settingOf('headers'),
  settingOf('cookies'),
  settingOf('proxy,sealed'),
]
