/**
 * Lists the rights in Postgres: one role per service, with the schemas that it uses. Everything else is refused, and no
 * service creates, changes or drops a table, because migrations run as the owner.
 */
import { type ServiceName, services } from '@tidemark/contracts/services'

export type Grant = {
  schema: string
  /** Names of tables. Default: all tables of the schema. */
  tables?: readonly string[]
  may: 'read' | 'write'
}

export const grants: Record<ServiceName, readonly Grant[]> = {
  // Bodies, links and archives are infrastructure: one writes, others read.
  gateway: [
    { schema: 'read', tables: ['run', 'page', 'pageless', 'log', 'project', 'key'], may: 'read' },
    {
      schema: 'content',
      tables: ['page', 'body', 'archive', 'export_part', 'batch', 'batch_item'],
      may: 'read',
    },
  ],
  projector: [
    { schema: 'read', may: 'write' },
    // The difference between a monitor's runs depends on the links of pages.
    { schema: 'content', tables: ['page'], may: 'read' },
  ],
  'auth-billing': [{ schema: 'account', may: 'write' }],
  'crawl-coordinator': [
    { schema: 'coordinator', may: 'write' },
    { schema: 'content', tables: ['archive'], may: 'write' },
    // The fingerprints of pages of an earlier run.
    { schema: 'content', tables: ['page'], may: 'read' },
  ],
  fetcher: [],
  extractor: [{ schema: 'content', may: 'write' }],
  scheduler: [{ schema: 'scheduler', may: 'write' }],
  webhook: [{ schema: 'webhook', may: 'write' }],
  'usage-ledger': [{ schema: 'ledger', may: 'write' }],
}

/**
 * The table in which each schema records its migrations. Only the owner writes it, and services of the schema can read
 * it.
 */
export const ownersTable = 'migration'

export const roleOf = (service: ServiceName): string => `tidemark_${service.replaceAll('-', '_')}`

/** Services that read or write tables. */
export const withRoles: readonly ServiceName[] = services.filter(service => grants[service].length > 0)

/** All schemas that are granted. */
export const schemas: readonly string[] = [
  ...new Set(Object.values(grants).flatMap(some => some.map(({ schema }) => schema))),
]
