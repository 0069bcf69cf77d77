/**
 * Runs statements on behalf of one project: the project is set in the same transaction, and Postgres hides rows of
 * others if row-level security is on. Setting and statement are sent together, without an extra round trip. The
 * settings end with the transaction.
 */
import pg, { type Pool, type PoolClient, type QueryConfig, type QueryResult } from 'pg'

/**
 * Returns an object that runs single statements of the project with this id.
 * @param maxMs Time after which Postgres ends a statement with 57014, if it is shorter than that of the pool.
 */
export type OfProject = (projectId: number, maxMs?: number) => Pick<Pool, 'query'>

/** Returns the function for a pool. Its statements reject like those of `pg`. */
export const ofProject = (pool: Pool): OfProject => {
  return (projectId, maxMs) => {
    const settings: ProjectSettings = { projectId, maxMs }
    const query = (query: string | QueryConfig, values?: unknown[]) => {
      const config = typeof query === 'string' ? { text: query } : query
      return runScoped(pool, settings, values === undefined ? config : { ...config, values })
    }
    return { query: query as Pool['query'] }
  }
}

/**
 * The first statement of each transaction. Beside the project, it sets the time limit, and makes a random page as cheap as
 * the next one. Otherwise Postgres, which knows nothing of a run until it analyses the table, expects a few rows and sorts
 * the whole run for each batch of a list (decision 0083).
 */
const setProject = {
  name: 'scope',
  text: `select set_config('tidemark.project', $1, true), set_config('random_page_cost', '1', true),
    set_config('statement_timeout', coalesce($2, current_setting('statement_timeout')), true)`,
}
type ProjectSettings = { projectId: number; maxMs: number | undefined }
const valuesOf = ({ projectId, maxMs }: ProjectSettings): Values => [
  String(projectId),
  maxMs?.toString() ?? null,
]
/** Connections with the prepared statement. */
const prepared = new WeakSet<PoolClient>()

async function runScoped(pool: Pool, settings: ProjectSettings, config: QueryConfig): Promise<QueryResult> {
  const client = await pool.connect()
  // The pool does not handle errors while a client is out; a broken connection also rejects the statement.
  client.on('error', ignore)
  try {
    if (!prepared.has(client)) {
      await client.query({ ...setProject, values: valuesOf(settings) })
      prepared.add(client)
    }
    const result = await new Promise<QueryResult>((resolve, reject) => {
      const done = (error: Error | null, result: QueryResult) => (error ? reject(error) : resolve(result))
      client.query(new ScopedQuery(settings, config, done))
    })
    client.off('error', ignore)
    client.release()
    return result
  } catch (error) {
    client.off('error', ignore)
    client.release(true)
    throw error
  }
}

const ignore = () => {}

type Values = (string | null)[]

/** The part of the connection that a query of `pg` uses. */
type Connection = {
  bind(message: { statement: string; values: Values }): void
  execute(message: object): void
}
type Message = object
type Callback = (error: Error | null, result: QueryResult) => void

/** Undocumented methods of a query of `pg`: it sends itself, and receives its messages. */
interface Protocol extends pg.Submittable {
  prepare(connection: Connection): void
  handleDataRow(message: Message): void
  handleCommandComplete(message: Message, connection: Connection): void
}
const Query = pg.Query as unknown as new (
  config: QueryConfig & { queryMode: string; callback: Callback },
) => Protocol

/**
 * A query that is sent after the setting of its project and before a common Sync, so that both form one transaction
 * (Postgres, Message Flow, Pipelining).
 */
class ScopedQuery extends Query {
  readonly #settings: ProjectSettings
  #isScoped = false

  constructor(settings: ProjectSettings, config: QueryConfig, callback: Callback) {
    super({ ...config, queryMode: 'extended', callback })
    this.#settings = settings
  }

  override prepare(connection: Connection): void {
    connection.bind({ statement: setProject.name, values: valuesOf(this.#settings) })
    connection.execute({})
    super.prepare(connection)
  }

  /** Skips the row of the settings. */
  override handleDataRow(message: Message): void {
    if (this.#isScoped) super.handleDataRow(message)
  }

  override handleCommandComplete(message: Message, connection: Connection): void {
    if (this.#isScoped) super.handleCommandComplete(message, connection)
    this.#isScoped = true
  }
}
