/**
 * The job before the services: every schema migrated, every stream declared. It may run again at any time
 * and then changes nothing. Ends with 0 only when all of it is done.
 */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { services } from '@tidemark/contracts/services'
import { migrate } from '@tidemark/db/migrate'
import { declareStreams } from '../nats/declare.ts'
import { root } from './settings.ts'

const owners = services.filter(service => existsSync(databaseOf(service)))

const databases = await Promise.all(owners.map(async owner => (await import(databaseOf(owner))).database))
if (process.connected) await once(process, 'message')

const { DATABASE_URL = '', NATS_URL = '' } = process.env
await Promise.all([declareStreams(NATS_URL), migrateAll(DATABASE_URL)])
process.exit(0)

function databaseOf(service: string): string {
  return `${root}services/${service}/database.ts`
}

async function migrateAll(url: string): Promise<void> {
  await Promise.all(databases.map(database => migrate(url, database)))
}
