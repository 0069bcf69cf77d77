/**
 * The rights in Postgres, as data: one role per service, with the schemas that it uses. Everything else is refused, and
 * no service creates, changes or drops a table: migrations run as the owner.
 */
import { type ServiceName, services } from '@tidemark/contracts/services'

export type Grant = {
  schema: string
  /** Tables of the schema by name; all of them by default. */
  tables?: readonly string[]
  may: 'read' | 'write'
}

export const grants: Record<ServiceName, readonly Grant[]> = {
  // Bodies, links and archives are infrastructure: one writes, others read.
  gateway: [
    { schema: 'read', tables: ['run', 'page', 'pageless', 'log', 'project', 'key'], may: 'read' },
    { schema: 'content', tables: ['page', 'body', 'archive', 'export_part'], may: 'read' },
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
    // How pages of a run before are known again.
    { schema: 'content', tables: ['page'], may: 'read' },
  ],
  fetcher: [],
  extractor: [{ schema: 'content', may: 'write' }],
  scheduler: [{ schema: 'scheduler', may: 'write' }],
  webhook: [{ schema: 'webhook', may: 'write' }],
  'usage-ledger': [{ schema: 'ledger', may: 'write' }],
}

/** The migrations of a schema are recorded in it, by the owner only; services of the schema can read them. */
export const ownersTable = 'migration'

export const roleOf = (service: ServiceName): string => `tidemark_${service.replaceAll('-', '_')}`

/** Those that read or write tables at all. */
export const withRoles: readonly ServiceName[] = services.filter(service => grants[service].length > 0)

/** All schemas that are granted. */
export const schemas: readonly string[] = [
  ...new Set(Object.values(grants).flatMap(some => some.map(({ schema }) => schema))),
]
