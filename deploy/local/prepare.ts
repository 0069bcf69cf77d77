/**
 * The job before the services: every schema migrated, every stream declared. It may run again at any time
 * and then changes nothing. Ends with 0 only when all of it is done.
 */
import { once } from 'node:events'
import { migrate } from '@tidemark/db/migrate'
import { declareStreams } from '../nats/declare.ts'
import { root } from './settings.ts'

const owners = [
  'gateway',
  'auth-billing',
  'crawl-coordinator',
  'extractor',
  'usage-ledger',
  'webhook',
  'scheduler',
]

const databases = await Promise.all(
  owners.map(async owner => (await import(`${root}services/${owner}/database.ts`)).database),
)
if (process.connected) await once(process, 'message')

const { DATABASE_URL = '', NATS_URL = '' } = process.env
await Promise.all([declareStreams(NATS_URL), migrateAll(DATABASE_URL)])
process.exit(0)

async function migrateAll(url: string): Promise<void> {
  await Promise.all(databases.map(database => migrate(url, database)))
}
