import { patient } from '@tidemark/testing/slowness'
import { sized } from '@tidemark/testing/tier'
import { test } from 'tap'
import { runChaos } from './chaos.ts'

process.once('SIGTERM', () => process.exit(1)) // sent at the time limit, so that no process outlives the test

const pages = sized(160, 400)
const site = { seed: 20, hosts: 4, pages }

test(`A crawl of ${pages} pages through five deaths`, { timeout: patient(300_000) }, async t => {
  const faults = { kills: 4, nats: 1, postgres: 0, redis: 0, all: 0, nodes: 0, cuts: 0 }
  const reported: string[] = []
  const result = await runChaos({
    site,
    faults,
    delayMs: 100,
    toleranceMs: Math.min(patient(40), 80),
    fetchers: 1,
    repeated: 0.1,
    webhooks: true,
    patienceMs: 40_000,
    report: line => void reported.push(line),
  })
  t.strictSame(result.violations, [], `seed ${site.seed}: ${reported.join(' | ')}`)
  t.comment(JSON.stringify(result))
  await result.removeFiles()
})
