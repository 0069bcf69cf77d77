/**
 * Statements on behalf of one project: Postgres is told whose they are in the same transaction, and shows no row of
 * another where row-level security is on. Both travel together, so that it costs no answer to wait for; nothing of
 * it is left on the connection.
 */
import pg, { type Pool, type PoolClient, type QueryConfig, type QueryResult } from 'pg'

/** Runs single statements of the project with this id. */
export type OfProject = (projectId: number) => Pick<Pool, 'query'>

/** Its statements reject as `pg` does. */
export const ofProject = (pool: Pool): OfProject => {
  return projectId => {
    const query = (query: string | QueryConfig, values?: unknown[]) => {
      const config = typeof query === 'string' ? { text: query } : query
      return ask(pool, projectId, values === undefined ? config : { ...config, values })
    }
    return { query: query as Pool['query'] }
  }
}

const scope = { name: 'scope', text: `select set_config('tidemark.project', $1, true)` }
/** Connections that have the statement prepared. */
const prepared = new WeakSet<PoolClient>()

async function ask(pool: Pool, projectId: number, config: QueryConfig): Promise<QueryResult> {
  const client = await pool.connect()
  // The pool does not listen while a client is out; what breaks it rejects the statement as well.
  client.on('error', ignore)
  try {
    if (!prepared.has(client)) {
      await client.query({ ...scope, values: [String(projectId)] })
      prepared.add(client)
    }
    const result = await new Promise<QueryResult>((resolve, reject) => {
      const done = (error: Error | null, result: QueryResult) => (error ? reject(error) : resolve(result))
      client.query(new ScopedQuery(projectId, config, done))
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

/** As far as a query of `pg` speaks to its connection. */
type Connection = {
  bind(message: { statement: string; values: string[] }): void
  execute(message: object): void
}
type Message = object
type Callback = (error: Error | null, result: QueryResult) => void

/** What a query of `pg` is beside what its types say: it sends itself, and hears what comes for it. */
interface Protocol extends pg.Submittable {
  prepare(connection: Connection): void
  handleDataRow(message: Message): void
  handleCommandComplete(message: Message, connection: Connection): void
}
const Query = pg.Query as unknown as new (
  config: QueryConfig & { queryMode: string; callback: Callback },
) => Protocol

/**
 * Goes behind the setting of its project, before one and the same end of a transaction: what is sent up to there
 * is one (Postgres, Message Flow, Pipelining).
 */
class ScopedQuery extends Query {
  readonly #projectId: string
  #isScoped = false

  constructor(projectId: number, config: QueryConfig, callback: Callback) {
    super({ ...config, queryMode: 'extended', callback })
    this.#projectId = String(projectId)
  }

  override prepare(connection: Connection): void {
    connection.bind({ statement: scope.name, values: [this.#projectId] })
    connection.execute({})
    super.prepare(connection)
  }

  /** The setting answers with a row of its own. */
  override handleDataRow(message: Message): void {
    if (this.#isScoped) super.handleDataRow(message)
  }

  override handleCommandComplete(message: Message, connection: Connection): void {
    if (this.#isScoped) super.handleCommandComplete(message, connection)
    this.#isScoped = true
  }
}
