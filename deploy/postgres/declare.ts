/**
 * Grants the roles of the services exactly the rights in `grants.ts`, after every migration: additional rights are
 * revoked, and new tables are covered. It is one transaction, so that no service lacks a right meanwhile.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '@tidemark/db/database'
import { type Grant, grants, ownersTable, schemas } from './grants.ts'
import type { Client, Roles } from './roles.ts'
import { declareScopes } from './scopes.ts'
import { scramVerifier } from './scram.ts'

const privileges = { read: 'select', write: 'select, insert, update, delete' } as const
const tries = 20
/** Milliseconds to wait for a lock. Later statements of services wait behind it for as long. */
const lockMs = 2_000
const pauseMs = 1_000

const lockTimeout = '55P03'
/**
 * SQLSTATEs of two concurrent declarations, which collide because roles belong to all databases of a server, and of a
 * lock timeout.
 */
const passing = new Set(['XX000', '40P01', '40001', '23505', '42710', lockTimeout])

/**
 * Declares the roles as the owner of the schemas. The owner must be allowed to create missing roles, and need not be a
 * superuser. Repeating it changes nothing. Throws the error of Postgres, usually 42501 or 42704, and an error if a role
 * has more privileges than a service needs.
 */
export async function declareRoles(ownerUrl: string, roles: Roles): Promise<void> {
  const options = { poolSize: 1, name: 'roles', statementMs: 0 }
  const database = await openDatabase(ownerUrl, { schema: 'public', entities: [], migrations: {} }, options)
  try {
    for (let left = tries; ; left--) {
      try {
        return await database.transaction(client => declare(client, roles))
      } catch (error) {
        const code = String(Reflect.get(Object(error), 'code'))
        if (left <= 1 || !passing.has(code)) throw error
        if (code === lockTimeout) await sleep(pauseMs)
      }
    }
  } finally {
    await database.close()
  }
}

async function declare(client: Client, roles: Roles): Promise<void> {
  await client.query(`select pg_advisory_xact_lock(hashtext('declare roles'))`)
  await client.query(`set local lock_timeout = ${lockMs}`)
  for (const { name, password } of roles.values())
    if (password !== null) await makeRole(client, name, password)
  const { rows } = await client.query<{ schema: string }>(
    'select nspname as schema from pg_namespace where nspname = any($1) order by nspname',
    [schemas],
  )
  const present = rows.map(({ schema }) => schema)
  for (const [service, { name }] of roles) {
    const role = client.escapeIdentifier(name)
    const statements = present.flatMap(schema => [
      ...revocations(schema, role),
      ...grants[service].filter(grant => grant.schema === schema).flatMap(grant => permissions(grant, role)),
    ])
    await client.query(statements.join(';\n'))
  }
  await declareScopes(client, roles)
}

async function makeRole(client: Client, name: string, password: string): Promise<void> {
  const role = client.escapeIdentifier(name)
  const { rowCount } = await client.query('select from pg_roles where rolname = $1', [name])
  if (rowCount === 0) await client.query(`create role ${role}`)
  const verifier = scramVerifier(password)
  await client.query(`alter role ${role} login password '${verifier}'`)
  await refuseMore(client, name)
}

/**
 * Throws if the role has privileges that a service must not have, as an older role with this name may. They are only
 * reported, because only a superuser may revoke them.
 */
async function refuseMore(client: Client, name: string): Promise<void> {
  const { rows } = await client.query<{ more: boolean }>(
    `select rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls as more
     from pg_roles where rolname = $1`,
    [name],
  )
  if (!rows[0]?.more) return
  const without = 'nosuperuser nocreatedb nocreaterole noreplication nobypassrls'
  throw new Error(
    `The role ${name} has more privileges than a service needs. Drop it, or as a superuser: alter role ${client.escapeIdentifier(name)} ${without}`,
  )
}

const revocations = (schema: string, role: string): string[] => [
  `revoke all on all tables in schema ${schema} from ${role}`,
  `revoke all on all sequences in schema ${schema} from ${role}`,
  `revoke all on schema ${schema} from ${role}`,
]

function permissions({ schema, tables, may }: Grant, role: string): string[] {
  const what = tables
    ? `table ${tables.map(table => `${schema}.${table}`).join(', ')}`
    : `all tables in schema ${schema}`
  return [
    `grant usage on schema ${schema} to ${role}`,
    `grant ${privileges[may]} on ${what} to ${role}`,
    ...(may === 'write' ? [`grant usage on all sequences in schema ${schema} to ${role}`] : []),
    `revoke all on table ${schema}.${ownersTable} from ${role}`,
    `grant select on table ${schema}.${ownersTable} to ${role}`,
  ]
}
