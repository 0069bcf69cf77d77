/** How the content store is handed transactions of a database that is not its own. */
import type { PoolClient } from 'pg'

/** Commits what the work has done, or nothing of it where that rejects. */
export type Transaction = <T>(work: (client: PoolClient) => Promise<T>) => Promise<T>
