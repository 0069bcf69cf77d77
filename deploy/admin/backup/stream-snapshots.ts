/**
 * Saves a stream as a snapshot of the NATS server (`STREAM.SNAPSHOT`), and restores it (`STREAM.RESTORE`). A restored
 * stream has the same sequences, times, headers and gaps, so readers continue after their last sequence. The bytes are
 * passed on as they arrive, so a stream of any size needs little memory.
 */
import type { StreamConfig } from '@nats-io/jetstream'
import type { Bus } from '@tidemark/bus/connection'
import { newInbox } from '@tidemark/bus/server'

const answerMs = 10_000
const silenceMs = 60_000
const restoreMs = 600_000
const pieceBytes = 128 * 1024
const badRequest = 400

type Answer = {
  error?: { description: string }
  config?: StreamConfig
  state?: object
  deliver_subject?: string
}

export type Snapshot = { config: StreamConfig; state: object; pieces: AsyncIterable<Uint8Array> }

/** Returns a snapshot of the stream without its consumers. Messages that arrive until it is packed may be in it. */
export async function snapshotOf({ nc }: Bus, name: string): Promise<Snapshot> {
  const inbox = newInbox(nc)
  const arriving = nc.subscribe(inbox)
  const wanted = { deliver_subject: inbox, no_consumers: true, chunk_size: pieceBytes }
  const { config, state } = await request(
    nc,
    `$JS.API.STREAM.SNAPSHOT.${name}`,
    JSON.stringify(wanted),
    answerMs,
  )
  if (config === undefined || state === undefined)
    throw new Error(`the server sent no information about ${name}`)
  return { config, state, pieces: pieces() }

  async function* pieces() {
    let number = 0
    const silence = setTimeout(() => arriving.unsubscribe(), silenceMs)
    try {
      for await (const message of arriving) {
        silence.refresh()
        const { data, headers, reply } = message
        if (data.length === 0 && (headers?.code ?? 0) >= badRequest)
          throw new Error(`the server broke off the snapshot of ${name} (${headers?.code})`)
        if (data.length === 0) return
        // The last piece has no reply subject, and so no number.
        if (reply && numberIn(reply) !== ++number)
          throw new Error(`a chunk of the snapshot of ${name} was lost`)
        yield data
        message.respond()
      }
      throw new Error(`the snapshot of ${name} stalled`)
    } finally {
      clearTimeout(silence)
      arriving.unsubscribe()
    }
  }
}

type Packed = { name: string; config: StreamConfig; state: object }

/** Restores the stream. Throws the errors of the server, for example if the stream exists. */
export async function restoreStream(
  { nc }: Bus,
  { name, config, state }: Packed,
  source: AsyncIterable<Uint8Array>,
): Promise<void> {
  const subject = `$JS.API.STREAM.RESTORE.${name}`
  const { deliver_subject = '' } = await request(nc, subject, JSON.stringify({ config, state }), answerMs)
  for await (const piece of source) {
    const response = await nc.request(deliver_subject, piece, { timeout: silenceMs })
    if (response.data.length > 0) refuse(response.json<Answer>(), name)
  }
  refuse((await nc.request(deliver_subject, '', { timeout: restoreMs })).json<Answer>(), name)
}

async function request(nc: Bus['nc'], subject: string, payload: string, timeout: number): Promise<Answer> {
  const answer = (await nc.request(subject, payload, { timeout })).json<Answer>()
  refuse(answer, subject)
  return answer
}

function refuse({ error }: Answer, what: string): void {
  if (error !== undefined) throw new Error(`${what}: ${error.description}`)
}

/** Returns the number of a piece from `$JS.SNAPSHOT.ACK.<stream>.<id>.<bytes>.<number>`. */
const numberIn = (reply: string): number => Number(reply.split('.').at(-1))
