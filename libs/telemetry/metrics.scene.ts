/** A process that only counts and measures. */
import { gauge, histogram } from './metrics.ts'

const decided = histogram('tidemark.decision.seconds')
for (const seconds of [0.3, 0.4, 0.7]) decided(seconds, { command: 'SettlePages', result: 'decided' })
gauge('tidemark.postgres.connections', async report => report(3, { service: 'scene', state: 'idle' }))
gauge('tidemark.postgres.connections', () => {
  throw new Error('this gauge fails')
})
/** A gauge of a database that hangs. */
gauge('tidemark.stream.messages', () => new Promise(() => {}))

/** Ends like a service: after its current work, and without waiting for exports. */
process.once('SIGTERM', () => setTimeout(() => process.exit(0), 3_000))
setInterval(() => {}, 1_000)
