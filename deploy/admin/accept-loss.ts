/**
 * `accept-loss`: continues with a stream that has lost its end, if no backup is to be restored. The command moves every
 * reader to the end of the messages that it has read and that are still in the stream. So a reader receives every later
 * message once. Rows from lost messages stay until they are rebuilt; the messages cannot be recovered.
 */
import { parseArgs } from 'node:util'
import { lastThatIsLeft, lossOf } from '@tidemark/bus/loss/lost-end'
import { streams } from '@tidemark/contracts/subjects'
import { AdminError } from './admin-error.ts'
import type { OpenInstance } from './open-instance.ts'
import { onStandardError, type Print } from './print.ts'
import { type ReaderPosition, readPositions } from './reader-positions.ts'

export const usage = 'accept-loss --stream NAME'
export const summary = 'Continues with a stream that has lost its end when there is no backup.'

type Reader = { reader: string; had_read: number; goes_on_after: number }

/** Throws AdminError if the stream does not exist or has lost no message that was read. */
export async function run(args: string[], dir: string, print: Print = onStandardError) {
  const { values } = parseArgs({ args, options: { stream: { type: 'string' } } })
  if (!values.stream) throw new AdminError(`--stream is missing.\n  ${usage}`, 2)
  const stream = values.stream
  const { openInstance } = await import('./open-instance.ts')
  await using instance = await openInstance(dir)
  const info = await instance.bus.jsm.streams.info(stream).catch(() => null)
  if (info === null) throw new AdminError(`There is no stream ${stream}.`)
  const readers: Reader[] = []
  for (const position of await readPositions(instance.pool)) {
    if (position.stream !== stream) continue
    const loss = await lossOf(instance.bus, stream, position)
    if (loss === null) continue
    const left = await lastThatIsLeft(instance.bus, stream, position, info.state.last_seq)
    await moveBack(instance, position, left)
    const reader = `${position.schema}.${position.projection}`
    print(`${reader}: ${loss}; it continues after ${left}`)
    readers.push({ reader, had_read: position.sequence, goes_on_after: left })
  }
  if (readers.length === 0)
    throw new AdminError(`${stream} has every message that was read from it: there is no loss to accept.`)
  print(
    `Stop and start the services. Rows of lost messages are still there, and "rebuild-projections" (for USAGE with "--name ledger") deletes them: save the database first. Then run "verify".`,
  )
  return { stream, readers }
}

async function moveBack({ pool }: OpenInstance, position: ReaderPosition, sequence: number): Promise<void> {
  const { schema, projection, partition, stream } = position
  // Batches of pages count the messages of their run by sequence, too.
  const isWithBatches = schema === 'webhook' && stream === streams.runs
  const batches = isWithBatches
    ? ', batching as (update webhook.page_batching set sequence = least(sequence, $4) from moved)'
    : ''
  const { rowCount } = await pool.query(
    `with moved as (
       update "${schema}".checkpoint set sequence = $4, read_to = null, read_subject = null
       where projection = $1 and partition = $2 and stream = $3 and sequence = $5 returning 1
     )${batches}
     select from moved`,
    [projection, partition, stream, sequence, position.sequence],
  )
  if (rowCount === 0)
    throw new AdminError(`${schema}.${projection} has moved. Stop the services, and repeat the command.`)
}
