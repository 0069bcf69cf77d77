/**
 * `declare-streams`: creates missing streams and consumers, and sets the size limit of a stream to `STREAM_<NAME>_BYTES`,
 * while services run. Streams that the environment does not name keep their size, so an operator does not need the
 * environment of the services.
 */
import { parseArgs } from 'node:util'
import type { Bus } from '@tidemark/bus/connection'
import { AdminError } from './admin-error.ts'
import { serversOf, withBus } from './reach-instance.ts'

export const usage = 'declare-streams'
export const summary =
  'Creates missing streams and consumers, and sets the size limits of streams to STREAM_<NAME>_BYTES.'

type Held = { name: string; bytes: number; limit: number }

/**
 * Declares the streams and returns their bytes and limits. Throws AdminError without a reachable instance, or if NATS
 * refuses.
 */
export async function run(args: string[], dir: string): Promise<{ streams: Held[] }> {
  parseArgs({ args, options: {} })
  const { declareStreams, sizeSettings } = await import('../nats/declare.ts')
  return withBus(dir, async bus => {
    const present = Object.entries(sizesOf(await held(bus))).filter(([setting]) => sizeSettings.has(setting))
    const env = { ...Object.fromEntries(present), ...process.env }
    await declareStreams(serversOf(dir).natsUrl, env).catch((error: Error) => {
      throw new AdminError(error.message)
    })
    return { streams: await held(bus) }
  })
}

async function held(bus: Bus): Promise<Held[]> {
  const streams: Held[] = []
  for await (const { config, state } of bus.jsm.streams.list())
    streams.push({ name: config.name, bytes: state.bytes, limit: config.max_bytes })
  return streams.sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Returns the limits as settings. Streams without a limit are not Tidemark's. */
const sizesOf = (streams: Held[]): NodeJS.ProcessEnv =>
  Object.fromEntries(
    streams
      .filter(({ limit }) => limit > 0)
      .map(({ name, limit }) => [`STREAM_${name.replace(/^OBJ_/, '')}_BYTES`, String(limit)]),
  )
