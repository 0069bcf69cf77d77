/** The Postgres roles of services, and the connection that declares them. */
import type { ServiceName } from '@tidemark/contracts/services'
import type { Database } from '@tidemark/db/database'

export type Role = {
  name: string
  /** Null: the role is made elsewhere, with a password of its own. */
  password: string | null
}
export type Roles = ReadonlyMap<ServiceName, Role>

/** A transaction's connection. */
export type Client = Parameters<Parameters<Database['transaction']>[0]>[0]
