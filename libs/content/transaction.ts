/** Gives the content store transactions of a database that it does not own. */
import type { PoolClient } from 'pg'

/** Commits all changes of the work, or rolls them back if it rejects. */
export type Transaction = <T>(work: (client: PoolClient) => Promise<T>) => Promise<T>
