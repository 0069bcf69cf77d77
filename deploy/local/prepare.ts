/**
 * The job before the services: migrates every schema, declares every stream, and grants the roles of the services their
 * rights unless `DATABASE_ROLES` is `off`. With the argument `streams` it only declares the streams. It may run again at
 * any time and then changes nothing. Ends with 0 only if everything succeeded.
 */
import { once } from 'node:events'
import { migrate } from '@tidemark/db/migrate'
import { declareStreams } from '../nats/declare.ts'
import { declareRoles } from '../postgres/declare.ts'
import { roleOf, withRoles } from '../postgres/grants.ts'
import type { Roles } from '../postgres/roles.ts'
import { databases } from './entries.ts'
import { ownVariable } from './own-connections.ts'

const isAll = process.argv[2] !== 'streams'
const missing = (isAll ? ['NATS_URL', 'DATABASE_URL'] : ['NATS_URL']).filter(name => !process.env[name])
if (missing.length > 0) {
  const instead = 'For what "npm start" runs: npm run admin -- declare-streams.'
  process.stderr.write(`${missing.join(' and ')} must name the servers that are to be prepared. ${instead}\n`)
  process.exit(2)
}
const migrated = isAll ? await databases() : []
if (process.connected) await once(process, 'message')

const { DATABASE_URL = '', NATS_URL = '' } = process.env
await Promise.all([declareStreams(NATS_URL), isAll && migrateAll(DATABASE_URL)])
process.exit(0)

async function migrateAll(url: string): Promise<void> {
  const report = (error: Error) =>
    process.stderr.write(`a migration waits for a lock and is tried again: ${error.message}\n`)
  await Promise.all(migrated.map(database => migrate(url, database, { report })))
  const { DATABASE_ROLES: mode = 'off' } = process.env
  if (mode !== 'off') await declareRoles(url, rolesOf(mode))
}

/**
 * Returns the role of each service, and its password from the URL of the service in mode `made`; null: the role exists
 * already and keeps its password.
 */
function rolesOf(mode: string): Roles {
  return new Map(
    withRoles.map(service => {
      const own = URL.parse(process.env[ownVariable('DATABASE_URL', service)] ?? '')
      const password = (mode === 'made' && decodeURIComponent(own?.password ?? '')) || null
      return [service, { name: decodeURIComponent(own?.username ?? '') || roleOf(service), password }]
    }),
  )
}
