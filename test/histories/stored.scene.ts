/** Reads what a system has stored: messages of its streams, and rows of its read models. */
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import pg from 'pg'

export type Message = { stream: string; sequence: number; subject: string; data: string }

/** Returns the messages of the streams from which services make rows, in their order. */
export async function messagesOf(url: string): Promise<Message[]> {
  const { host, username, password } = new URL(url)
  const connection = await connect({ servers: host, ...(username && { user: username, pass: password }) })
  const manager = await jetstreamManager(connection)
  const messages: Message[] = []
  for (const stream of ['RUNS', 'USAGE']) {
    const consumer = await jetstream(connection).consumers.get(stream, {})
    for (let left = (await manager.streams.info(stream)).state.messages; left > 0; left--) {
      const message = await consumer.next({ expires: 2_000 })
      if (message === null) throw new Error(`${stream} has fewer messages than it reports`)
      messages.push({ stream, sequence: message.seq, subject: message.subject, data: message.string() })
    }
  }
  await connection.close()
  return messages
}

/** Leaves out the sample crawl, which another project starts. */
export function ofProject(messages: readonly Message[], projectId: number): Message[] {
  // The first event of a run names its project, and so does the last one of a deleted run.
  const ours = messages.filter(({ data }) => data.includes(`"projectId":${projectId},`))
  const wanted = new Set(ours.map(({ subject }) => subject.split('.')[2]))
  const isOurs = ({ stream, subject }: Message): boolean =>
    stream === 'RUNS' ? wanted.has(subject.split('.')[2]) : subject === `usage.${projectId}`
  return messages.filter(isOurs)
}

/** Returns the rows of the last project in the tables that the streams determine. */
export async function rowsOf(url: string): Promise<Record<string, object[]>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const orders = {
    'read.run': 'id',
    'read.page': 'id',
    'ledger.unit': 'sequence, token',
    'ledger.counter': 'day',
  }
  const rows: Record<string, object[]> = {}
  for (const [table, order] of Object.entries(orders)) {
    const text = `select * from ${table} where project_id = (select max(project_id) from read.run) order by ${order}`
    rows[table] = (await client.query(text)).rows
  }
  await client.end()
  return rows
}
