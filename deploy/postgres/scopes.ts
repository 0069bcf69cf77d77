/**
 * Declares row-level security: tables that show a service only the rows of the project that its transaction names. The
 * conditions in the statements are the first barrier, and this is the second one, for a statement without the
 * condition.
 */
import type { ServiceName } from '@tidemark/contracts/services'
import type { Client, Roles } from './roles.ts'

export type Scope = {
  table: string
  /** SQL condition for rows of the project that the transaction has set. */
  ofProject: string
  /** The service that sees only these rows, and none if no project is set. */
  scoped: ServiceName
  /** The service that reads and writes all rows. */
  whole: ServiceName
  /** Services that read all rows. */
  reads?: readonly ServiceName[]
}

/** The setting is empty if no project is set, and after its transaction. */
const named = `project_id = nullif(current_setting('tidemark.project', true), '')::bigint`
/** Pages of visible runs. The table of runs is restricted too, so runs of other projects are not found. */
const ofRun = 'exists (select from read.run where run.id = page.run_id)'

/**
 * The restricted tables. Keys and projects are not among them, because they are looked up before the project is known.
 * Bodies are not either, because projects with the same content share them.
 */
export const scopes: readonly Scope[] = [
  { table: 'read.run', ofProject: named, scoped: 'gateway', whole: 'projector' },
  { table: 'read.page', ofProject: named, scoped: 'gateway', whole: 'projector' },
  { table: 'read.pageless', ofProject: named, scoped: 'gateway', whole: 'projector' },
  { table: 'read.log', ofProject: named, scoped: 'gateway', whole: 'projector' },
  {
    table: 'content.page',
    ofProject: ofRun,
    scoped: 'gateway',
    whole: 'extractor',
    reads: ['projector', 'crawl-coordinator'],
  },
  { table: 'content.export_part', ofProject: named, scoped: 'gateway', whole: 'extractor' },
  { table: 'content.batch', ofProject: named, scoped: 'gateway', whole: 'extractor' },
  { table: 'content.batch_item', ofProject: named, scoped: 'gateway', whole: 'extractor' },
]

/** Declares the policies in a transaction of the tables' owner, to whom they do not apply. */
export async function declareScopes(client: Client, roles: Roles): Promise<void> {
  for (const { table, ofProject, scoped, whole, reads = [] } of scopes) {
    const { rows } = await client.query<{ secured: boolean }>(
      'select relrowsecurity as secured from pg_class where oid = to_regclass($1)',
      [table],
    )
    const [found] = rows
    if (found === undefined) continue
    const namesOf = (...services: readonly ServiceName[]) =>
      services.flatMap(service => roles.get(service)?.name ?? [])
    await declarePolicy(client, { table, name: 'of_project', roles: namesOf(scoped), using: ofProject })
    await declarePolicy(client, { table, name: 'whole', roles: namesOf(whole), using: 'true' })
    await declarePolicy(client, { table, name: 'whole_to_read', roles: namesOf(...reads), using: 'true' })
    if (!found.secured) await client.query(`alter table ${table} enable row level security`)
  }
}

type Policy = { table: string; name: string; roles: string[]; using: string }

/**
 * Creates or replaces a policy. An equal one is kept, because replacing it would lock a table that every request reads.
 */
async function declarePolicy(client: Client, { table, name, roles, using }: Policy): Promise<void> {
  if (roles.length === 0) return
  const { rows } = await client.query<{ roles: string[]; using: string | null }>(
    `select array(select rolname::text from pg_roles where oid = any(polroles)) as roles,
       obj_description(oid, 'pg_policy') as using
     from pg_policy where polrelid = to_regclass($1) and polname = $2`,
    [table, name],
  )
  const [found] = rows
  if (found?.using === using && found.roles.sort().join() === roles.toSorted().join()) return
  if (found) await client.query(`drop policy ${name} on ${table}`)
  const to = roles.map(role => client.escapeIdentifier(role)).join()
  await client.query(`create policy ${name} on ${table} to ${to} using (${using})`)
  await client.query(`comment on policy ${name} on ${table} is ${client.escapeLiteral(using)}`)
}
