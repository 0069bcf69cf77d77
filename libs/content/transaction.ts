/** Defines how the content store runs transactions in a database that it does not own. */
import type { PoolClient } from 'pg'

/**
 * Runs the work in a transaction and returns its result. Commits all changes, or rolls them back if the work rejects.
 */
export type Transaction = <T>(work: (client: PoolClient) => Promise<T>) => Promise<T>
