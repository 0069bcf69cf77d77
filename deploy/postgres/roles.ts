/** Types for the Postgres roles of services, and for the connection that declares them. */
import type { ServiceName } from '@tidemark/contracts/services'
import type { Database } from '@tidemark/db/database'

export type Role = {
  name: string
  /** Null: the role exists already and keeps its password. */
  password: string | null
}
export type Roles = ReadonlyMap<ServiceName, Role>

/** The connection of a transaction. */
export type Client = Parameters<Parameters<Database['transaction']>[0]>[0]
