import { patient } from '@tidemark/testing/slowness'
import { sized } from '@tidemark/testing/tier'
import { test } from 'tap'
import { runChaos } from '../chaos/chaos.ts'

process.once('SIGTERM', () => process.exit(1)) // sent at the time limit, so that no process outlives the test

const pages = sized(160, 400)
const site = { seed: 31, hosts: 4, pages }

test(`A crawl of ${pages} pages on three servers of NATS, each killed once`, {
  timeout: patient(300_000),
}, async t => {
  const reported: string[] = []
  const result = await runChaos({
    site,
    faults: { kills: 0, nats: 0, postgres: 0, redis: 0, all: 0, nodes: 3, cuts: 0 },
    delayMs: sized(220, 120),
    toleranceMs: Math.min(patient(60), 100),
    fetchers: 1,
    repeated: 0,
    webhooks: true,
    cluster: true,
    patienceMs: patient(60_000),
    report: line => void reported.push(line),
  })
  const { violations, answers } = result
  t.strictSame(violations, [], `seed ${site.seed}: ${reported.join(' | ')}`)
  t.ok(answers.calls > 50, 'a client called throughout')
  t.equal(answers.lost, 0, 'every call had an answer')
  t.comment(JSON.stringify(result))
  await result.removeFiles()
})
