/** A process that counts and measures, and does nothing else. */
import { gauge, histogram } from './metrics.ts'

const decided = histogram('tidemark.decision.seconds')
for (const seconds of [0.3, 0.4, 0.7]) decided(seconds, { command: 'SettlePages', result: 'decided' })
gauge('tidemark.postgres.connections', async tell => tell(3, { service: 'scene', state: 'idle' }))
gauge('tidemark.postgres.connections', () => {
  throw new Error('this one cannot say')
})
/** A database that hangs. */
gauge('tidemark.stream.messages', () => new Promise(() => {}))

/** As a service ends: when what is under way is done, and without waiting for what is exported. */
process.once('SIGTERM', () => setTimeout(() => process.exit(0), 3_000))
setInterval(() => {}, 1_000)
