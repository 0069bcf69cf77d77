/**
 * `declare-streams`: makes streams and consumers that are missing, and gives a stream the room that `STREAM_<NAME>_BYTES`
 * asks for, while everything runs. What the environment does not name keeps its size: whoever types this at night need
 * not have at hand what the services were started with.
 */
import { parseArgs } from 'node:util'
import type { Bus } from '@tidemark/bus/connection'
import { AdminError } from './admin-error.ts'
import { reachInstance, serversOf } from './reach-instance.ts'

export const usage = 'declare-streams'
export const does =
  'Creates missing streams and consumers, and sets the size limits of streams to STREAM_<NAME>_BYTES.'

type Held = { name: string; bytes: number; limit: number }

/** How full each stream is afterwards. Throws AdminError where no instance is reached, or NATS does not take one. */
export async function run(args: string[], dir: string): Promise<{ streams: Held[] }> {
  parseArgs({ args, options: {} })
  const { declareStreams, sizeSettings } = await import('../nats/declare.ts')
  const bus = await reachInstance(dir)
  try {
    const present = Object.entries(sizesOf(await held(bus))).filter(([setting]) => sizeSettings.has(setting))
    const env = { ...Object.fromEntries(present), ...process.env }
    await declareStreams(serversOf(dir).natsUrl, env).catch((error: Error) => {
      throw new AdminError(error.message)
    })
    return { streams: await held(bus) }
  } finally {
    await bus.close()
  }
}

async function held(bus: Bus): Promise<Held[]> {
  const streams: Held[] = []
  for await (const { config, state } of bus.jsm.streams.list())
    streams.push({ name: config.name, bytes: state.bytes, limit: config.max_bytes })
  return streams.sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** As settings. One without a limit is not of ours. */
const sizesOf = (streams: Held[]): NodeJS.ProcessEnv =>
  Object.fromEntries(
    streams
      .filter(({ limit }) => limit > 0)
      .map(({ name, limit }) => [`STREAM_${name.replace(/^OBJ_/, '')}_BYTES`, String(limit)]),
  )
