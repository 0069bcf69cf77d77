/**
 * Creates twins of tables (empty tables with the same columns, keys, indexes and settings in another schema), and
 * replaces the tables by them. The replacement only changes names, so its cost does not depend on the rows, and readers
 * wait only for this moment.
 */
import type { Client } from '../open-instance.ts'

/** Tables of a schema, and the schema of their twins. */
export type Twins = { schema: string; tables: readonly string[]; twinSchema: string }

/** Quotes a name. Some names are keywords of SQL, and none contains a quotation mark. */
const id = (name: string) => `"${name}"`
const nameOf = (schema: string, table: string) => `${id(schema)}.${id(table)}`

/**
 * Creates the twins, after removing those of an earlier attempt. The client must own the tables and be in a
 * transaction.
 */
export async function makeTwins(client: Client, twins: Twins): Promise<void> {
  const { schema, tables, twinSchema } = twins
  await dropTwins(client, twins)
  await client.query(`create schema ${id(twinSchema)}`)
  for (const table of tables) {
    await client.query(
      `create table ${nameOf(twinSchema, table)} (like ${nameOf(schema, table)} including all excluding indexes)`,
    )
    for (const statement of await likenesses(client, twins, table)) await client.query(statement)
  }
}

/**
 * Returns statements for the indexes, keys and settings that `like` leaves out. They keep their names, because
 * migrations use the names.
 */
async function likenesses(client: Client, { schema, twinSchema }: Twins, table: string): Promise<string[]> {
  const { rows } = await client.query<{ statement: string }>(
    `select statement from (
       select 1 as place, conname::text as name,
         format('alter table %I.%I add constraint %I %s', $3::text, $2::text, conname, pg_get_constraintdef(oid)) as statement
       from pg_constraint where conrelid = $4::regclass and contype in ('p', 'u', 'x')
       union all
       select 2, i.relname, replace(pg_get_indexdef(x.indexrelid),
         format(' ON %I.%I ', $1::text, $2::text), format(' ON %I.%I ', $3::text, $2::text))
       from pg_index x join pg_class i on i.oid = x.indexrelid
       where x.indrelid = $4::regclass and not exists (select from pg_constraint where conindid = x.indexrelid)
       union all
       select 3, '', format('alter table %I.%I set (%s)', $3::text, $2::text, array_to_string(reloptions, ', '))
       from pg_class where oid = $4::regclass and reloptions is not null
     ) all_of_them order by place, name`,
    [schema, table, twinSchema, nameOf(schema, table)],
  )
  return rows.map(({ statement }) => statement)
}

/** Deletes the twins of an attempt that cannot end. */
export async function dropTwins(
  client: Pick<Client, 'query'>,
  { twinSchema }: Pick<Twins, 'twinSchema'>,
): Promise<void> {
  await client.query(`drop schema if exists ${id(twinSchema)} cascade`)
}

/**
 * Replaces the tables by the twins, grants these the same rights and policies, and drops the tables. Throws the error
 * of Postgres: 55P03 if the tables were not free in time, and 2BP01 if an unknown object depends on them. Then nothing
 * has changed.
 */
export async function switchTwins(client: Client, { schema, tables, twinSchema }: Twins): Promise<void> {
  const names = tables.map(table => nameOf(schema, table))
  const away = `${twinSchema}_away`
  await client.query(`lock table ${names.join(', ')} in access exclusive mode`)
  const rights = await rightsOf(client, schema, tables)
  const policies = await policiesOn(client, names)
  await client.query(`create schema ${id(away)}`)
  for (const { drop } of policies) await client.query(drop)
  for (const table of tables) {
    await client.query(`alter table ${nameOf(schema, table)} set schema ${id(away)}`)
    await client.query(`alter table ${nameOf(twinSchema, table)} set schema ${id(schema)}`)
  }
  for (const statement of rights) await client.query(statement)
  for (const { create } of policies) for (const statement of create) await client.query(statement)
  await client.query(`drop table ${tables.map(table => nameOf(away, table)).join(', ')}`)
  await client.query(`drop schema ${id(away)}; drop schema ${id(twinSchema)}`)
}

/** Returns statements that set the owner, the grants and the row-level security of the tables. */
async function rightsOf(client: Client, schema: string, tables: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ statement: string }>(
    `with first as (
       select *, format('%I.%I', $1::text, relname) as name from pg_class
       where relnamespace = $1::regnamespace and relname = any($2) and relkind = 'r'
     )
     select format('alter table %s owner to %I', name, pg_get_userbyid(relowner)) as statement from first
     union all
     select format('grant %s on %s to %s', string_agg(privilege_type, ', '), name,
       case grantee when 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end)
     from first, aclexplode(relacl) where grantee <> relowner group by name, grantee
     union all
     select format('alter table %s enable row level security', name) from first where relrowsecurity`,
    [schema, tables],
  )
  return rows.map(({ statement }) => statement)
}

/** Returns statements that drop and create the policies of these tables, and those of other tables that read them. */
async function policiesOn(
  client: Client,
  names: readonly string[],
): Promise<{ drop: string; create: string[] }[]> {
  const { rows } = await client.query<{ drop: string; create: string[] }>(
    `select format('drop policy %I on %s', polname, polrelid::regclass) as drop, array_remove(array[
       format('create policy %I on %s as %s for %s to %s%s%s', polname, polrelid::regclass,
         case when polpermissive then 'permissive' else 'restrictive' end,
         case polcmd when 'r' then 'select' when 'a' then 'insert' when 'w' then 'update' when 'd' then 'delete' else 'all' end,
         (select string_agg(case role when 0 then 'public' else quote_ident(pg_get_userbyid(role)) end, ', ')
          from unnest(polroles) role),
         ' using (' || pg_get_expr(polqual, polrelid) || ')',
         ' with check (' || pg_get_expr(polwithcheck, polrelid) || ')'),
       format('comment on policy %I on %s is %L', polname, polrelid::regclass, obj_description(oid, 'pg_policy'))
     ], null) as create
     from pg_policy
     where polrelid = any($1::regclass[]) or exists (
       select from pg_depend
       where classid = 'pg_policy'::regclass and objid = pg_policy.oid
         and refclassid = 'pg_class'::regclass and refobjid = any($1::regclass[]::oid[]))
     order by polrelid, polname`,
    [names],
  )
  return rows
}
